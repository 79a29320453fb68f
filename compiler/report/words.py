"""The words of the pages, in Chinese and English; they stand in `templates/words.json`, in this order."""

import json
from functools import cache

from compiler.report.templates import read_template
from ir.source import Language


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = json.loads(read_template("words.json"))
    return table


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

    def _at(self, key: str) -> str:
        return _table()[key][0 if self.language == "zh" else 1]
