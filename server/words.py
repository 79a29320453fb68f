"""The words of the server's pages, in Chinese and English, in this order in `templates/*words.json`."""

import json
from functools import cache
from pathlib import Path

from compiler.report.words import Words as ReportWords
from ir.source import Language

TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for file in sorted(TEMPLATES.glob("*words.json")):
        table |= json.loads(file.read_text("utf-8"))
    return table


class Words(ReportWords):
    """The words of one language, by key; what is not here is as the pages of builds have it.

    >>> Words("zh")("sign_in"), Words("en")("risk.high")
    ('登录', 'high')
    """

    def get(self, key: str, default: str) -> str:
        """The words under a key, or the default."""
        return self._at(key) if key in _table() else super().get(key, default)

    def _at(self, key: str) -> str:
        own = _table().get(key)
        return own[0 if self.language == "zh" else 1] if own else super()._at(key)


def asked_language(accepted: str) -> Language:
    """The language that a browser asks for: Chinese where it comes before English, else English.

    >>> asked_language("zh-CN,zh;q=0.9,en;q=0.8"), asked_language("de,en;q=0.7,zh;q=0.5"), asked_language("")
    ('zh', 'en', 'en')
    """
    wanted = []
    for place, part in enumerate(accepted.split(",")):
        name, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), place, name[:2].casefold()))
        except ValueError:
            continue
    known = [name for _, _, name in sorted(wanted) if name in ("zh", "en")]
    return "zh" if known and known[0] == "zh" else "en"
