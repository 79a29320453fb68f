"""`--fail-on`: how much may be open in a build before the command fails."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from compiler.build.results import Build
from flowc.stopping import Stop
from ir.verdict import Verdict
from validator.suggest import did_you_mean

_GROUPS = ("questions", "steps", "prohibitions", "statements")
_GOOD = frozenset({"executable", "enforced", "carried"})
"""Figures of which there should be many; a limit on them is a least."""
_LIMIT = re.compile(r"([a-z_.]+)=(\d+(?:\.\d+)?)(%?)")


@dataclass(frozen=True)
class Limit:
    """One limit on a figure of the verdicts, summed over a build.

    Args:
        group, name: which figure: `steps`, `unmapped`.
        share: the number is a share of the group, in percent.
    """

    group: str
    name: str
    number: float
    share: bool

    def fault(self, build: Build) -> str | None:
        """What is beyond the limit, a sentence; None where nothing is."""
        verdicts = [one.verdict for one in build.procedures]
        found, whole = _sum(verdicts, self.group, self.name), _sum(verdicts, self.group, "all")
        value = 100 * found / whole if self.share and whole else float(found) if not self.share else 0.0
        least = self.name in _GOOD
        if (least and value >= self.number) or (not least and value <= self.number):
            return None
        shown = f"{found} of {whole} ({value:.0f}%)" if self.share else f"{found}"
        unit = "%" if self.share else ""
        called = self.group if self.name == "all" else f"{self.group}: {self.name}"
        return f"--fail-on: {called} {shown}, where {'at least' if least else 'at most'} {self.number:g}{unit} was set"


def parse_limits(text: str) -> tuple[Limit, ...]:
    """The limits of an option: `unmapped=20%,questions=10`.

    A figure goes by its name or, where two share it, by its group and name: `statements.question`.

    >>> [(one.group, one.name, one.number, one.share) for one in parse_limits("unmapped=20%,questions=10")]
    [('steps', 'unmapped', 20.0, True), ('questions', 'all', 10.0, False)]

    Raises:
        Stop: it is no limit, or names no figure.
    """
    names = figures()
    limits = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _LIMIT.fullmatch(part)
        if match is None:
            advice = "write NAME=NUMBER or NAME=SHARE%, as in unmapped=20%"
            raise Stop(f"--fail-on: “{part}” is no limit; {advice}", "bad-setting")
        name, number, share = match.groups()
        if name not in names:
            raise Stop(
                f"--fail-on: there is no figure “{name}”{did_you_mean(name, list(names))}; "
                f"the figures are {', '.join(sorted(names))}",
                "bad-setting",
            )
        limits.append(Limit(*names[name], float(number), bool(share)))
    return tuple(limits)


def figures() -> dict[str, tuple[str, str]]:
    """The figures of a verdict by every name that they go by: group and name."""
    found: dict[str, tuple[str, str]] = {group: (group, "all") for group in _GROUPS}
    example = Verdict(sound=True)
    for group in _GROUPS:
        for name in getattr(example, group).model_dump():
            found[f"{group}.{name}"] = (group, name)
            if name != "all":
                found.setdefault(name, (group, name))
    return found


def _sum(verdicts: Iterable[Verdict], group: str, name: str) -> int:
    return sum(getattr(getattr(one, group), name) for one in verdicts)
