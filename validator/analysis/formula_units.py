"""Units of formulas: products of powers, as `CNY/kg` times `kg` is `CNY`."""

from collections.abc import Iterable
from unicodedata import normalize

from ir.quantities.units import unit_named
from validator.analysis.units import conversion_words

Powers = tuple[tuple[str, int], ...]
"""Units by id with their powers, sorted; empty for a plain number."""
PLAIN: Powers = ()
PERCENT: Powers = (("%", 1),)
_COMPOUND = {"m2": {"m": 2}, "m3": {"m": 3}, "km/h": {"km": 1, "h": -1}, "mph": {"mi": 1, "h": -1}}


def powers_of(text: str) -> Powers:
    """A unit as it is written, as powers.

    >>> powers_of("元/公斤"), powers_of("m²"), powers_of("kWh")
    ((('CNY', 1), ('kg', -1)), (('m', 2),), (('kWh', 1),))
    """
    whole = unit_named(text)
    if whole is not None:
        return _sorted(_COMPOUND.get(whole.id, {whole.id: 1}))
    found: dict[str, int] = {}
    for at, part in enumerate(normalize("NFKC", text).split("/")):
        known = unit_named(part.strip())
        for name, power in (_COMPOUND.get(known.id, {known.id: 1}) if known else {part.strip(): 1}).items():
            found[name] = found.get(name, 0) + (power if at == 0 else -power)
    return _sorted(found)


def times(left: Powers, right: Powers, sign: int = 1) -> Powers:
    """The unit of a product; with -1, of a quotient.

    >>> times((("CNY", 1), ("kg", -1)), (("kg", 1),))
    (('CNY', 1),)
    """
    found = dict(left)
    for name, power in right:
        found[name] = found.get(name, 0) + sign * power
    return _sorted(found)


def unit_words(powers: Powers) -> str:
    """A unit as people write it.

    >>> unit_words((("CNY", 1), ("kg", -1))), unit_words((("m", 2),)), unit_words(())
    ('CNY/kg', 'm2', 'no unit')
    """
    if not powers:
        return "no unit"
    above = [_power(name, power) for name, power in powers if power > 0]
    below = [_power(name, -power) for name, power in powers if power < 0]
    return "/".join(("*".join(above) or "1", *below))


def between_words(left: Powers, right: Powers) -> str:
    """How one unit becomes another, or why not; empty where nothing is known of it."""
    names = [powers[0][0] for powers in (left, right) if len(powers) == 1 and powers[0][1] == 1]
    return conversion_words(*names) if len(names) == 2 else ""


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}{power}"


def _sorted(powers: dict[str, int] | Iterable[tuple[str, int]]) -> Powers:
    return tuple(sorted((name, power) for name, power in dict(powers).items() if power))
