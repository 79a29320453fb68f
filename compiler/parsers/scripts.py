"""Superscripts and subscripts, kept apart from the numbers that they stand beside."""

import re
from typing import Literal

Script = Literal["super", "sub", "note"]

_SUPER = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_SUB = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_FIGURES = re.compile(r"[-+−=]?\d[\d,]*")
_LETTER = re.compile(r"[a-g]")  # the mark of a table's note; letters from h on are units and exponents
_BRACKETED = re.compile(r"[\[(（【〔].*[\])）】〕]")
_FRACTION = re.compile(r"(\d?)([⁰¹²³⁴-⁹]+)\s?[/⁄∕]\s?([₀-₉]+)")


def write_script(text: str, script: Script | None, before: str = "") -> str:
    """Raised or lowered text as it is kept: figures in their Unicode forms, marks of notes in brackets.

    Args:
        before: the text that it follows; a figure lowered after a letter is part of a name (`CO2`) and stays plain.

    >>> write_script("6", "super", "10"), write_script("1", "note", "$50"), write_script("st", "super", "1")
    ('⁶', '[1]', 'st')
    >>> write_script("2", "sub", "CO"), write_script("2", "sub", "/"), write_script("[3]", "note", "x")
    ('2', '₂', '[3]')
    """
    words = text.strip()
    if not words or script is None or before.rstrip()[-1:] in tuple("[(（【〔"):
        return text
    if script == "note":
        return words if _BRACKETED.fullmatch(words) or not any(map(str.isalnum, words)) else f"[{words}]"
    if script == "super" and _LETTER.fullmatch(words) and before[-1:].isdecimal():
        return f"[{words}]"
    if not _FIGURES.fullmatch(words) or (script == "sub" and before[-1:].isalpha()):
        return text
    return words.translate(_SUPER if script == "super" else _SUB)


def close_fractions(text: str) -> str:
    """Fractions that are set with a raised and a lowered figure, on the line.

    >>> close_fractions("1¹/₂ hours, ³⁄₄ full, 10⁶")
    '1 1/2 hours, 3/4 full, 10⁶'
    """
    return _FRACTION.sub(_fraction, text)


def _fraction(match: re.Match[str]) -> str:
    whole = f"{match[1]} " if match[1] else ""
    return f"{whole}{match[2].translate(_PLAIN)}/{match[3].translate(_PLAIN)}"
