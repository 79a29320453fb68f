"""Units of formulas: products of powers, as `CNY/kg` times `kg` is `CNY`."""

from collections.abc import Iterable
from typing import Literal
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


def odds(left: Powers, right: Powers) -> Literal["none", "maybe", "sure"]:
    """Whether two units are at odds; not where one only counts things that the other does not name.

    Maybe where one has no unit at all, or a time more than the other: what something costs a day is often given in
    yuan alone.

    >>> [odds(powers_of(one), powers_of("CNY")) for one in ("CNY", "pallets", "CNY/d", "kg")]
    ['none', 'sure', 'maybe', 'sure']
    >>> odds((("CNY", 1), ("pallets", 1)), (("CNY", 1),)), odds((), (("points", 1),))
    ('none', 'none')
    """
    if left == right:
        return "none"
    rest = times(left, right, -1)
    counted = {name for name, _ in rest if _counts(name)}
    both = all(any(name in counted for name, _ in one) for one in (left, right))
    if len(counted) == len(rest) and not both:
        return "none" if _uncounted(left) or not left or not right else "sure"
    timed = all(name in counted or _dimension(name) == "duration" for name, _ in rest)
    return "maybe" if PLAIN in (left, right) or (timed and _uncounted(left) and _uncounted(right)) else "sure"


def _uncounted(powers: Powers) -> bool:
    """Whether something is measured, and not only counted or timed."""
    return any(not _counts(name) and _dimension(name) != "duration" for name, _ in powers)


def _counts(name: str) -> bool:
    return _dimension(name) in (None, "persons")


def _dimension(name: str) -> str | None:
    unit = unit_named(name)
    return unit.dimension if unit is not None else None


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
