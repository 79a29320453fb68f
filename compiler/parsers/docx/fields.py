"""Fields of Word: which text is their instruction, and what those show that have no text of their own."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.parsers.docx.math import grouped, root_of
from compiler.parsers.docx.package import Element, value, w
from compiler.parsers.docx.symbols import CHECKED, from_font
from compiler.text.labels import CIRCLED

_CIRCLES, _BOXES, _TICKS = "○〇◯", "□■☐◻", "√✓✔"
_LONGEST = 400  # of a formula in a field
_SWITCH = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)\s*')
_OPTION = re.compile(r"\\[a-z]+[0-9]*|\\[^a-z\s]", re.I)


@dataclass(slots=True)
class Fields:
    """Fields that are open; they may begin in one paragraph and end in another."""

    codes: list[list[str]] = field(default_factory=list)
    in_code: list[bool] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def hides(self) -> bool:
        """Whether the text belongs to a field's instruction, not to its result."""
        return any(self.in_code)

    def add(self, instruction: str) -> None:
        """Take a piece of the innermost field's instruction."""
        if self.codes:
            self.codes[-1].append(instruction)

    def mark(self, kind: str | None) -> str:
        """Take note of a field's beginning, of where its result begins, and of its end.

        Returns:
            What it shows, at the end of one that has no result.
        """
        if kind == "begin":
            self.in_code.append(True)
            self.codes.append([])
        elif kind == "separate" and self.in_code:
            self.in_code[-1] = False
        elif kind == "end" and self.in_code:
            bare, instruction = self.in_code.pop(), "".join(self.codes.pop())
            if bare and not self.hides():
                return self.shown(instruction)
            if bare:
                self.add(self.shown(instruction))
        return ""

    def shown(self, instruction: str) -> str:
        """What a field shows whose result is no text in the file: numbers, formulas, buttons, symbols."""
        name, _, rest = instruction.strip().partition(" ")
        name = name.upper()
        if name == "EQ" or name.startswith("EQ\\"):
            return equation(instruction.strip()[2:].strip())
        if name == "MACROBUTTON":
            return rest.strip().partition(" ")[2].strip()
        if name == "SYMBOL":
            return _symbol(rest)
        if name in ("AUTONUM", "AUTONUMLGL", "AUTONUMOUT"):
            self.counts[name] += 1
            return f"{self.counts[name]}."
        if name == "LISTNUM":
            self.counts[name] += 1
            return f"{self.counts[name]})"
        return ""


def equation(instruction: str) -> str:
    r"""What an `EQ` field shows; Word sets enclosed figures and readings above characters with it.

    >>> [equation(instruction) for instruction in (r"\o\ac(○,3)", r"\o\ac(□,√)", r"\f(1,2)", r"\o\ad(\s\up 8(bao),报)")]
    ['③', '☑', '1/2', '报']
    >>> equation(r"\r(3,x)")
    '∛x'
    """
    return "".join(_equation_parts(_SWITCH.sub("", instruction[:_LONGEST]).strip(), 0)[0])


def close_fields(root: Element) -> None:
    """Take away the beginnings of fields that never end, since they would swallow all that follows."""
    open_: list[Element] = []
    for mark in root.iter(w("fldChar")):
        kind = value(mark, "fldCharType")
        if kind == "begin":
            open_.append(mark)
        elif kind == "end" and open_:
            open_.pop()
    for mark in open_:
        mark.getparent().remove(mark)


def _equation_parts(instruction: str, at: int) -> tuple[list[str], int]:
    """The operands from `at` to the closing bracket, each as it shows, and where it ends."""
    parts, names = [""], list[str]()
    while at < len(instruction):
        option = _OPTION.match(instruction, at)
        if option and len(option[0]) == 2 and not option[0][1].isalpha():
            parts[-1] += option[0][1]  # an escaped sign
            at = option.end()
        elif option:
            names.append(option[0].lower())
            at = option.end()
        elif names and instruction[at] in " 0123456789-":
            at += 1  # the measure of an option
        elif instruction[at] == "(" and names:
            inner, at = _equation_parts(instruction, at + 1)
            parts[-1] += _element(names, [part.strip() for part in inner])
            names = []
        elif instruction[at] == ")":
            return parts, at + 1
        elif instruction[at] in ",;":
            parts.append("")
            at += 1
        else:
            parts[-1] += instruction[at]
            at += 1
    return parts, at


def _element(names: Sequence[str], parts: list[str]) -> str:
    name, last = names[0][:2], parts[-1]
    if name == "\\o":
        return _enclosed(parts[0], last)
    if name == "\\f" and len(parts) > 1:
        return f"{grouped(parts[0])}/{grouped(last)}"
    if name == "\\r":
        return root_of(last, parts[0] if len(parts) > 1 else "")
    if name == "\\s":
        return last if len(parts) == 1 and not any("up" in n or "do" in n for n in names) else f"^{grouped(last)}"
    return f"({', '.join(parts)})" if name == "\\b" else " ".join(parts)


def _enclosed(around: str, inner: str) -> str:
    """Characters drawn over each other: a figure in a circle, a ticked box; else the last, which the others adorn."""
    if around in _CIRCLES and inner.isdecimal() and 0 < int(inner) <= len(CIRCLED):
        return CIRCLED[int(inner) - 1]
    return CHECKED if around in _BOXES and inner in _TICKS else inner


def _symbol(rest: str) -> str:
    instruction = rest.split()[0] if rest.split() else ""
    font = re.search(r'\\f\s+(?:"([^"]+)"|(\S+))', rest)
    number = (
        int(instruction, 16)
        if re.fullmatch(r"0x[0-9a-f]{1,4}", instruction, re.I)
        else int(instruction)
        if instruction.isdecimal()
        else 0
    )
    shown = chr(number) if 0x20 <= number < 0xD800 else ""
    return from_font(shown, (font[1] or font[2]) if font else None)
