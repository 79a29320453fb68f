"""The words of the pages, in Chinese and English, in this order in `templates/words.json` and `codes.json`."""

import json
from functools import cache

from compiler.report.templates import read_template
from ir.source import Language


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = json.loads(read_template("words.json"))
    return table


@cache
def _codes() -> dict[str, list[str]]:
    codes: dict[str, list[str]] = json.loads(read_template("codes.json"))
    return codes


class Words:
    """The words of one language, by key.

    >>> Words("zh")("otherwise"), Words("en")("page", 3)
    ('否则', 'page 3')
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = "zh" if language == "zh" else "en"

    def __call__(self, key: str, *values: object) -> str:
        """The words under a key, with values put in; KeyError where there are none."""
        return self._at(key).format(*values) if values else self._at(key)

    def get(self, key: str, default: str) -> str:
        """The words under a key, or the default."""
        return self._at(key) if key in _table() else default

    def of_code(self, code: str, default: str) -> str:
        """What a diagnostic's code says, in one sentence for people; the default where the code has none.

        >>> Words("zh").of_code("cycle", "…"), Words("en").of_code("cycle", "…")
        ('流程绕成了圈。', 'Edges form a cycle.')
        """
        return _codes()[code][0 if self.language == "zh" else 1] if code in _codes() else default

    def _at(self, key: str) -> str:
        return _table()[key][0 if self.language == "zh" else 1]
