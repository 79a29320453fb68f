"""Reads primers: Markdown files with YAML front matter. Every fault of every file is reported at once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from ir.codec import digest, read_form, read_yaml
from ir.diagnostics import Diagnostic
from primers.params import (
    ApprovalParams,
    EndParams,
    ExitParams,
    OutcomeParams,
    PolicyParams,
    RejectionParams,
    RiskWordParams,
)
from primers.primer import Primer

TEXTS = Path(__file__).parent / "texts"
FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
NEEDED: dict[str, tuple[type, ...]] = {
    "exception-paths": (OutcomeParams, ExitParams),
    "governance": (RiskWordParams, PolicyParams, ApprovalParams, RejectionParams),
    "joins-and-branches": (EndParams,),
}


@dataclass(frozen=True)
class PrimerFault:
    """One fault of one file: where, what stands there, what should, and what to do next."""

    file: str
    pointer: str
    found: str
    expected: str
    next_step: str

    def __str__(self) -> str:
        return f"{self.file}: {self.pointer or '/'}: found {self.found}, expected {self.expected}; {self.next_step}"


class PrimerError(Exception):
    """Primers cannot be used as they stand; `faults` has every fault of every file."""

    code = "malformed-primer"

    def __init__(self, faults: tuple[PrimerFault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults) + f" [{self.code}]")


@dataclass(frozen=True, eq=False)
class Primers:
    """The primers of a build, by name, in the order of their names; nothing in it changes after loading."""

    by_name: Mapping[str, Primer]

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType(dict(sorted(self.by_name.items()))))

    def __reduce__(self) -> tuple[type["Primers"], tuple[dict[str, Primer]]]:
        """Pickle as a plain dictionary, so that worker processes can be given the primers."""
        return Primers, (dict(self.by_name),)

    @cached_property
    def digest(self) -> str:
        """`sha256:…` over the content; a build with other primers is another build."""
        return digest({name: primer.to_json() for name, primer in self.by_name.items()})

    @property
    def references(self) -> tuple[str, ...]:
        """`NAME@VERSION` of each, for provenance."""
        return tuple(primer.reference for primer in self.by_name.values())

    def for_pass(self, name: str) -> tuple[Primer, ...]:
        """The primers that a pass obeys, in the order of their names."""
        return tuple(primer for primer in self.by_name.values() if primer.pass_ == name)

    def primer(self, name: str) -> Primer:
        """The primer of this name; KeyError where there is none."""
        return self.by_name[name]


def load_primers(folder: Path | None = None) -> Primers:
    """Read every `*.md` of a folder; without one, the primers that come with flowc.

    Raises:
        PrimerError: the folder holds no primer, or some file is malformed; with every fault found.
    """
    return _shipped(TEXTS) if folder is None else _loaded(folder)


@cache
def _shipped(folder: Path) -> Primers:
    """The primers that come with flowc, read once a process."""
    return _loaded(folder)


def _loaded(folder: Path) -> Primers:
    faults: list[PrimerFault] = []
    primers: dict[str, Primer] = {}
    for path in sorted(folder.glob("*.md")):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            faults.append(PrimerFault(path.name, "", str(error), "a readable file in UTF-8", "save it as UTF-8"))
            continue
        primer = _parse_primer(path.name, text, faults)
        if primer and primer.name in primers:
            faults.append(PrimerFault(path.name, "/name", repr(primer.name), "a name of its own", "rename one of them"))
        elif primer:
            primers[primer.name] = primer
    if not primers and not faults:
        next_step = "name a folder that holds primers, or leave it out to use those that come with flowc"
        faults.append(PrimerFault(str(folder), "", "no *.md file", "at least one primer", next_step))
    if faults:
        raise PrimerError(tuple(faults))
    return Primers(primers)


def _parse_primer(name: str, text: str, faults: list[PrimerFault]) -> Primer | None:
    """The primer of one file; its faults are added to `faults`."""
    match = FRONT_MATTER.match(text)
    if not match:
        expected = "front matter between two lines of ---"
        faults.append(PrimerFault(name, "line 1", repr(text[:20]), expected, "begin the file with ---"))
        return None
    front, found = read_yaml("\n" + match[1])  # the empty line stands for the first ---, so that lines count right
    primer = None
    if not found:
        if isinstance(front, dict):
            front |= {"body": text[match.end() :].lstrip("\n")}
        primer, found = read_form(Primer, front)
    faults.extend(_fault(name, diagnostic) for diagnostic in found)
    if not primer:
        return None
    missing = [
        kind.__name__
        for kind in NEEDED.get(primer.name, ())
        if not any(isinstance(rule.params, kind) for rule in primer.rules)
    ]
    for kind in missing:
        wanted = f"a rule whose params are {kind}"
        faults.append(PrimerFault(name, "/rules", "no such rule", wanted, "take the rule from the shipped primer"))
    return None if missing else primer


def _fault(name: str, found: Diagnostic) -> PrimerFault:
    """A diagnostic of reading as a fault of a file."""
    pointer = found.location.pointer or ""
    match found.error_code:
        case "missing-key":
            return PrimerFault(name, pointer, "nothing", f"the key {found.expected!r}", "add the key")
        case "unknown-key":
            known = f"one of {found.expected}" if found.expected else "no such key"
            return PrimerFault(name, pointer, f"the key {found.found!r}", known, "remove or rename the key")
    return PrimerFault(name, pointer, _short(found.found), found.message, "correct it")


def _short(value: object) -> str:
    text = "this" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
