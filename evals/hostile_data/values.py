"""Values that fit a JSON Schema and mean no good: long, deep, many, circular, and partly true."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

_NAMES = (
    "s1", "s2", "s3", "s4", "s5", "j1", "j2", "start", "end", "amount", "urgent", "kind", "", "otherwise", "s1.outcome",
)  # fmt: skip
_IDS = frozenset({"id", "a", "z", "past", "step", "fact", "from", "to"})
_ABOUT = frozenset({"steps", "about", "reads"})
_DURATIONS = (
    "P3D", "PT48H", "P5BD", "P0D", "P99999999999Y", "PT1e5S", "-P1D", "P", "3 days", "P1DT", "PT" + "9" * 4000 + "H",
)  # fmt: skip
_TEXTS = (
    "", " ", "\n\n", "\x00", "\u202e\u2066", "\ufeff", "\ud800", "𠮷𠮷", "ﬀ①㈠", "e" + "\u0301" * 300,
    "(" * 300, "[" * 3000, "\\" * 50, "</script><script>alert(1)</script>", "{{7*7}}", "${jndi:ldap://x}",
    "../../../etc/passwd", "CON", "a" * 300, "条" * 3000, "x" * 30_000, "<!--" * 40, "%s%n%d", "`; rm -rf",
    "$.facts.amount", "approved", "rejected", "Finance", "the clerk", "财务部", "1" * 400, "5万元", "３０％",
    "__class__", "nodes", "9" * 5000,
)  # fmt: skip
_CONDITIONS = (
    "otherwise", "unclear", "always", "amount > 50000", 's1.outcome == "approved"', "urgent == true",
    "amount > amount", "not " * 400 + "urgent", "(" * 2000 + "urgent" + ")" * 2000, "amount == " + "9" * 5000,
    "amount > 1e999", "amount > -0.0", "amount in [" + "1," * 3000 + "1]", " or ".join(["urgent == true"] * 300),
    " and ".join(["amount > 5"] * 70), 'kind in ["a", "a", 1, null, true]', "s1 == s2", "s1.outcome.x.y == 1",
    "exists(s9)", "amount > 50000 and", "'", "amount > NaN", "$.nodes.x == 1", "contains(kind, kind)",
    "amount is null", "is_null(amount)", 'kind == "' + "长" * 5000 + '"', "amount >= 1.0000000000000001",
)  # fmt: skip
_NUMBERS: tuple[Any, ...] = (0, 1, 2, 7, -1, 2**31, 2**63, -(2**63), 10**30, 1.5, -0.0, 1e308, 5e-324, 10**400)


@dataclass(frozen=True)
class Words:
    """What a document says, so that part of what is drawn is true of it.

    Args:
        quotes: addresses with the text that stands there.
    """

    quotes: Sequence[tuple[str, str]] = ()


@dataclass
class Drawing:
    """Draws values of a schema.

    Args:
        tame: share of strings that are what an honest answer has.
        most: members of a list, mostly.
    """

    rng: Random
    schema: dict[str, Any]
    words: Words = Words()
    tame: float = 0.8
    most: int = 4
    left: int = field(default=6000)

    def value(self) -> Any:
        """A value of the whole schema."""
        return self._of(self.schema, "", 0)

    def changed(self, raw: Any, name: str = "", share: float = 0.05) -> Any:
        """A value that is right otherwise, with some of its texts and lists as hostile ones have them."""
        if isinstance(raw, dict):
            return {key: self.changed(one, key, share) for key, one in raw.items()}
        if isinstance(raw, list):
            made = [self.changed(one, name, share) for one in raw]
            if made and self.rng.random() < share:
                at, number = self.rng.randrange(len(made)), self.rng.choice([0, 2, 2, 20, 300])
                return [*made[:at], *[made[at]] * number, *made[at + 1 :]]
            return made
        if isinstance(raw, str) and self.rng.random() < share:
            return self._text(name)
        return raw

    def _of(self, given: dict[str, Any] | bool, name: str, depth: int) -> Any:
        self.left -= 1
        schema: dict[str, Any] = {} if isinstance(given, bool) else given
        while "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                return self._of(self._chosen(schema[several], depth), name, depth)
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._list(schema, name, depth)
            case "string":
                return self._text(name)
            case "integer":
                return self.rng.choice([number for number in _NUMBERS if isinstance(number, int)])
            case "number":
                return self.rng.choice(_NUMBERS)
            case "boolean":
                return self.rng.random() < 0.5
            case "null":
                return None
        return self.rng.choice([*_TEXTS[:12], *_NUMBERS, None, [], {}, [[]], {"a": [1]}])

    def _chosen(self, several: list[dict[str, Any]], depth: int) -> dict[str, Any]:
        plain = [one for one in several if one.get("type") in ("null", "string", "integer", "boolean")]
        if plain and (depth > 12 or self.left < 0):
            return plain[0]
        return self.rng.choice(several)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        fields = schema.get("properties", {})
        if set(fields) == {"b", "q"} and self.words.quotes and self.rng.random() < self.tame:
            return dict(zip("bq", self._quote(), strict=True))
        needed = set(schema.get("required", ()))
        found = {
            name: self._of(one, name, depth + 1)
            for name, one in fields.items()
            if name in needed or (self.left > 0 and depth < 12 and self.rng.random() < 0.6)
        }
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            for _ in range(self.rng.randint(0, 3)):
                found[self._text("id")] = self._of(more, "", depth + 1)
        return found

    def _list(self, schema: dict[str, Any], name: str, depth: int) -> list[Any]:
        luck, least = self.rng.random(), int(schema.get("minItems", 0))
        number = self.rng.choice([300, 1000]) if luck < 0.01 else self.rng.randint(least, max(least, self.most))
        if self.left < 0 or depth > 12:
            number = least
        item = schema.get("items", {})
        inner = "id" if name in _ABOUT else name
        made = [self._of(item, inner, depth + 1) for _ in range(number)]
        if name == "steps" and self.rng.random() < 0.7:
            for at, one in enumerate(made, 1):
                if isinstance(one, dict) and "id" in one:
                    one["id"] = f"s{at}"
        return made

    def _quote(self) -> tuple[str, str]:
        block, text = self.rng.choice(self.words.quotes)
        start = self.rng.randrange(len(text)) if self.rng.random() < 0.3 else 0
        quote = text[start : start + self.rng.choice([3, 20, 60, 1000])]
        return (self.rng.choice(self.words.quotes)[0] if self.rng.random() < 0.1 else block), quote

    def _text(self, name: str) -> str:
        tame = self.rng.random() < self.tame
        if name in _IDS:
            return self.rng.choice(_NAMES if tame else _TEXTS)
        if name in ("when", "condition"):
            return self.rng.choice(_CONDITIONS[:6] if tame else _CONDITIONS)
        if name in ("iso", "duration"):
            return self.rng.choice(_DURATIONS[:3] if tame else _DURATIONS)
        if name == "q" and self.words.quotes and tame:
            return self._quote()[1]
        if tame:
            return self.rng.choice(
                [*_NAMES, "approved", "rejected", "Finance", "clerk", "财务部", "amount > 5", "Purchases"]
            )
        return self.rng.choice([*_TEXTS, *_CONDITIONS, *_DURATIONS])
