"""Reads the words of a condition into a tree over facts and over the outcomes of earlier steps.

What is definite becomes comparisons: `超过5万元`, `属于一类或者二类`, `审核不通过`, `exceeds $500`. What states
a plain proposition becomes a boolean fact of its own, named by its words. What leaves the matter to judgement is marked
vague and becomes a boolean fact as well, with a gap.
"""

import re
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from catalog.concept import Concept
from compiler.offline.english_verdicts import Verdict, find_verdict
from compiler.offline.lexicon import Lexicon
from compiler.offline.mentions import Mention, Mentions, Scalar
from compiler.offline.statements import ConditionCue, Statement
from compiler.text.sentences import Piece
from compiler.text.units import Measured, convert, find_quantities
from ir.predicate import Compare, CompareOp, Junction, Literally, LiteralStatus, Not, Ref, Tree, conjoin, negate
from ir.procedure import Fact
from ir.source import Evidence, Span

_FUNCTION_ZH = re.compile(
    r"[的地得之，、。；：（）()\s]|且|并|又|或者?|和|与|及|以及|属于|为|是|采用|使用|通过|经|已经?|该|其|本|此|对|在|于|由|以|按|达到|进行|情形|情况|方式|均|系|被|仍|同时|运输|涉及|单次|单笔|每次|一次性?|累计|合计|总计|全部|任何|其中|一项|下列|上述"
)
_INVERSE: dict[CompareOp, CompareOp] = {"lte": "gt", "lt": "gte", "gte": "lt", "gt": "lte"}
_OR_ZH = re.compile(r"(?:^|[，,\s])(?:或者?|以及|抑或|及)|或者")
_EN_OR = re.compile(r"\bor\b", re.IGNORECASE)


@dataclass
class FactBook:
    """The facts met so far, by id; conditions add theirs."""

    facts: dict[str, Fact] = field(default_factory=dict)

    def add(self, fact: Fact) -> str:
        """Keep a fact, with the evidence of an equal earlier one; gives its id."""
        known = self.facts.get(fact.id)
        evidence = tuple(dict.fromkeys((*(known.evidence if known else ()), *fact.evidence)))
        kept = fact if known is None else known
        self.facts[fact.id] = kept.model_copy(update={"evidence": evidence[:6]})
        return fact.id


@dataclass(frozen=True)
class Atom:
    """One comparison with the place of its words in the condition's text."""

    start: int
    end: int
    tree: Tree


class ConditionReader:
    """Reads conditions of one document.

    Args:
        mentions: finds the catalog's concepts.
        cues: the words of the document's language.
        doc_id: for evidence.
    """

    def __init__(self, mentions: Mentions, cues: Lexicon, doc_id: str) -> None:
        self.mentions, self.cues, self.doc_id = mentions, cues, doc_id
        self.book = FactBook()
        self._last_subject: Concept | str | None = None
        self.open_ends: frozenset[str] = frozenset()  # words such as `以下` that leave the number itself out here
        self._judged: tuple[str, str] | None = None  # block and step of the last verdict

    def read(self, cue: ConditionCue, earlier: list[tuple[str, Statement]]) -> Tree:
        """The tree of one condition cue (not of `otherwise`).

        Args:
            earlier: the steps before, by id, for conditions on how one of them came out.
        """
        tree = self._read(cue.piece, earlier, cue.vague)
        return negate(tree) if cue.mode == "unless" else tree

    def definite(self, piece: Piece) -> Tree | None:
        """The conjunction of the values and limits that a piece names, None where it names none."""
        atoms = self._atoms(piece, []) if piece.text else []
        return conjoin(*(atom.tree for atom in sorted(atoms, key=lambda a: a.start)))

    def beyond_limit(self, piece: Piece) -> Tree | None:
        """For `不得超过0.5吨` or `must not exceed 30 days` the comparison that breaks the limit."""
        trees = [atom.tree for atom in self._quantities(piece)]
        broken = [
            Compare(_INVERSE[t.op], t.left, t.right) for t in trees if isinstance(t, Compare) and t.op in _INVERSE
        ]
        return conjoin(*broken)

    def fact_of(self, concept: Concept, place: Piece, *, named: bool, required: bool = True) -> Fact:
        """The fact that holds a concept, with the words that speak of it; `named` where they are its name."""
        enum = tuple(v for v in concept.enum or () if not isinstance(v, bool)) or None
        language = "zh" if self.cues.language == "zh" else "en"
        return Fact(
            id=concept.id, type=concept.type, concept=concept.id,
            name=place.text if named else concept.labels.get(language, concept.id),
            unit=concept.unit, enum=enum, required=required, evidence=(self._evidence(place),),
        )  # fmt: skip

    def _read(self, piece: Piece, earlier: list[tuple[str, Statement]], vague: bool) -> Tree:
        parts = [] if vague else self._alternatives(piece)
        if len(parts) > 1:
            trees = [self._conjunction(part, earlier) for part in parts]
            if all(tree is not None for tree in trees):
                return Junction("or", tuple(tree for tree in trees if tree is not None))
        tree = None if vague else self._conjunction(piece, earlier)
        if tree is None and self.cues.language == "en" and len(piece.text.split()) < 3:
            return self._own_case(piece)
        return tree if tree is not None else self._proposition(piece)

    def _own_case(self, piece: Piece) -> Tree:
        """A fact of its own for words such as `if necessary`, which speak of another thing wherever they stand."""
        known = sum(1 for fact in self.book.facts.values() if fact.name == piece.text)
        name = self._slug(piece.text) if known == 0 else f"{self._slug(piece.text)}_{known + 1}"
        fact = Fact(id=name, name=piece.text, type="boolean", evidence=(self._evidence(piece),))
        return Compare(
            "eq", Ref(f"$.facts.{self.book.add(fact)}"), Literally(True, piece.text, "converted", piece.text)
        )

    def _alternatives(self, piece: Piece) -> list[Piece]:
        """The sides of an `or` between whole clauses (`A，或者B`), not between values (`一类或者二类`)."""
        pattern = _OR_ZH if self.cues.language == "zh" else _EN_OR
        cuts = [m for m in pattern.finditer(piece.text) if self._splits(piece.text, m)]
        parts, begin = [], 0
        for cut in cuts:
            parts.append(piece.part(begin, cut.start()))
            begin = cut.end()
        return [part for part in (*parts, piece.part(begin)) if part.text]

    def _splits(self, text: str, cut: re.Match[str]) -> bool:
        sides = text[: cut.start()], text[cut.end() :]
        atoms = [self._atoms(Piece("", 0, len(side), side), [], dry=True) for side in sides]
        found = self.mentions.find(text)
        inside = any(m.start < cut.end() and cut.start() < m.end for m in found)
        values = [[m for m in self.mentions.find(side) if m.value is not None] for side in sides]
        same = bool(values[0] and values[1]) and values[0][-1].concept == values[1][0].concept
        enumerates = same and values[1][0].start <= 1 and len(sides[0]) - values[0][-1].end <= 1
        return bool(atoms[0] and atoms[1]) and not inside and not enumerates

    def _conjunction(self, piece: Piece, earlier: list[tuple[str, Statement]]) -> Tree | None:
        """The conjunction of the atoms of a piece; None where some of its words are in none of them."""
        atoms = self._atoms(piece, earlier)
        if not atoms or not self._explained(piece.text, atoms):
            return None
        return conjoin(*(atom.tree for atom in sorted(atoms, key=lambda a: a.start)))

    # --- atoms ------------------------------------------------------------------------------------------------------

    def _atoms(self, piece: Piece, earlier: list[tuple[str, Statement]], *, dry: bool = False) -> list[Atom]:
        book = self.book
        if dry:
            self.book = FactBook(dict(book.facts))
        atoms = self._quantities(piece)
        taken = [(a.start, a.end) for a in atoms]
        for clause_start, clause_end in _clauses(piece.text):
            verdict = None if dry and not earlier else self._verdict(piece, clause_start, clause_end, earlier)
            if verdict is not None and not _overlaps(verdict, taken):
                atoms.append(verdict)
                taken.append((verdict.start, verdict.end))
        atoms += self._values(piece, taken)
        self.book = book if dry else self.book
        return atoms

    def _quantities(self, piece: Piece) -> list[Atom]:
        atoms = []
        for quantity in find_quantities(piece.text):
            before, after = piece.text[: quantity.start], piece.text[quantity.end :]
            found = self._comparator(before, after)
            if found is None:
                continue
            op, begin, end = found
            subject = self._subject_of(piece, before[: len(before) - begin] if begin else before, quantity)
            if subject is None:
                continue
            ref, literal, subject_start = subject
            atoms.append(Atom(subject_start, quantity.end + end, Compare(op, ref, literal)))
        return atoms

    def _comparator(self, before: str, after: str) -> tuple[CompareOp, int, int] | None:
        """The operator that stands before or after a quantity, with its length on either side."""
        ops: tuple[CompareOp, ...] = ("gte", "lte", "lt", "gt", "eq")
        for op in ("gte", "lte"):
            for word in self.cues.words("comparators_after", op):
                if after.lstrip().lower().startswith(word):
                    end = len(after) - len(after.lstrip()) + len(word)
                    note = self.cues.pattern("exclusive_note").match(after[end:].lstrip())
                    strict: CompareOp = "gt" if op == "gte" else "lt"
                    return (strict if note or word[-2:] in self.open_ends else op), 0, end + (note.end() if note else 0)
        stripped = before.rstrip()
        if (range_ := _RANGE_EN.search(stripped)) is not None and self.cues.language == "en":
            return "lte", len(before) - range_.start(), 0
        best: tuple[CompareOp, int, int] | None = None
        for op in ops:
            for word in self.cues.words("comparators", op):
                whole = self.cues.language == "zh" or not stripped[: -len(word)][-1:].isalnum()
                if stripped.lower().endswith(word) and whole and (best is None or len(word) > best[1]):
                    best = (op, len(word) + len(before) - len(stripped), 0)
        return best

    def _subject_of(self, piece: Piece, before: str, quantity: Measured) -> tuple[Ref, Literally, int] | None:
        """The fact that a quantity is compared with: the nearest concept named before it that takes the unit."""
        dimension = quantity.unit.dimension
        names = [m for m in self.mentions.find(before) if m.value is None]
        for mention in reversed(names):
            concept = self._narrowed(self.mentions.concepts[mention.concept])
            value = _in_unit(quantity, concept)
            if value is not None:
                self._last_subject = concept
                return self._fact_ref(concept, piece, mention), _literal(quantity, value, concept.unit), mention.start
        own = re.split(r"[，,；;]|的(?=单|总)", before)[-1]
        name = _FUNCTION_ZH.sub("", own) if self.cues.language == "zh" else _noun_en(own)
        if not name and isinstance(self._last_subject, Concept):
            value = _in_unit(quantity, self._last_subject)
            if value is not None:
                ref = self._fact_ref(self._last_subject, piece, None)
                return ref, _literal(quantity, value, self._last_subject.unit), quantity.start
        fitting = [
            c
            for c in self.mentions.concepts.values()
            if c.unit and _in_unit(quantity, c) is not None and dimension == "mass"
        ]
        if len(fitting) == 1:
            ref = self._fact_ref(fitting[0], piece, None)
            return ref, _literal(quantity, _in_unit(quantity, fitting[0]) or 0, fitting[0].unit), len(before) - len(own)
        if not name:
            return None
        return self._open_quantity(piece, name, quantity, len(before) - len(own))

    def _narrowed(self, concept: Concept) -> Concept:
        """The narrower concept that the document spoke of before: `金额` after `报销金额` is the same amount."""
        for fact in self.book.facts.values():
            known = self.mentions.concepts.get(fact.concept or "")
            if known is not None and known.broader == concept.id:
                return known
        return concept

    def _open_quantity(self, piece: Piece, name: str, quantity: Measured, start: int) -> tuple[Ref, Literally, int]:
        unit = quantity.unit
        if unit.iso:
            duration = quantity.duration
            spec = Fact(id=self._slug(name), name=name, type="duration", evidence=(self._evidence(piece),))
            return (
                Ref(f"$.facts.{self.book.add(spec)}"),
                Literally(duration, quantity.text, "converted", quantity.text),
                start,
            )
        value = convert(quantity.value, unit.id, unit.canonical)
        spec = Fact(
            id=self._slug(name), name=name, type="number", unit=unit.canonical, evidence=(self._evidence(piece),)
        )
        return (
            Ref(f"$.facts.{self.book.add(spec)}"),
            _literal(quantity, quantity.value if value is None else value, unit.canonical),
            start,
        )

    def _values(self, piece: Piece, taken: list[tuple[int, int]]) -> list[Atom]:
        """Comparisons with the values of concepts: those of one concept that stand in a row are one `in`."""
        free = [m for m in self.mentions.find(piece.text) if m.value is not None]
        free = [m for m in free if not _overlaps(m, taken) and self._says_enough(m)]
        groups: list[list[Mention]] = []
        for mention in _unambiguous(free):
            same = groups and groups[-1][-1].concept == mention.concept
            between = piece.text[groups[-1][-1].end : mention.start] if same else ""
            if same and re.fullmatch(r"\s*(?:[、，,/]|或者?|和|与|及|以及|or|and|, or)?\s*(?:第)?", between):
                groups[-1].append(mention)
            else:
                groups.append([mention])
        return [self._value_atom(piece, group) for group in groups]

    def _says_enough(self, mention: Mention) -> bool:
        """Whether words for yes or no are more than a bare verdict (`合格`), which says nothing of what it judges."""
        boolean = self.mentions.concepts[mention.concept].type == "boolean"
        return not boolean or len(mention.text) > (2 if self.cues.language == "zh" else 6)

    def _value_atom(self, piece: Piece, group: list[Mention]) -> Atom:
        concept = self.mentions.concepts[group[0].concept]
        start, end = group[0].start, group[-1].end
        ref = self._fact_ref(concept, piece, None)
        values: list[Scalar] = list(dict.fromkeys(m.value for m in group if m.value is not None))
        quote = piece.text[start:end]
        tree: Tree
        if len(values) == 1:
            tree = Compare("eq", ref, Literally(values[0], quote, _status(values[0], quote)))
        else:
            tree = Compare("in", ref, Literally(list(values), quote, "converted", quote))
        lead = piece.text[max(0, start - 3) : start]
        if re.search(r"(?:非|不属于|不是|除)$|\b(?:not|non)[\s-]*$", lead, re.IGNORECASE):
            tree = Not(tree)
        return Atom(start, end, tree)

    def _verdict(self, place: Piece, start: int, end: int, earlier: list[tuple[str, Statement]]) -> Atom | None:
        """A condition on how an earlier step came out (`审核不通过`, `if approved`)."""
        clause = place.text[start:end]
        if self.cues.language == "en":
            said = find_verdict(clause, earlier, self.cues)
            return _judged(said, clause, start, end) if said else None
        for polarity in ("fail", "pass"):
            for word in self.cues.words("verdict", polarity):
                at = clause.lower().find(word)
                if at < 0:
                    continue
                step = self._same_sentence(place, earlier) or self._judging_step(clause, earlier, word)
                if step is None:
                    return None
                self._judged = (place.block, step[0])
                step_id, statement = step
                approval = statement.step_kind == "approval" or "approved" in statement.outcomes
                outcome = {"pass": "approved", "fail": "rejected"}[polarity] if approval else polarity
                quote = clause[at : at + len(word)]
                literal = Literally(outcome, quote, "converted", quote)
                return Atom(start, end, Compare("eq", Ref(f"$.steps.{step_id}.outcome"), literal))
        return None

    def _same_sentence(self, place: Piece, earlier: list[tuple[str, Statement]]) -> tuple[str, Statement] | None:
        """The step that the block's last condition was about: `清点无误的，…；数量不符的，…` speaks of one count."""
        if self._judged is None or self._judged[0] != place.block:
            return None
        known = [pair for pair in earlier if pair[0] == self._judged[1]]
        newer = [pair for pair in earlier if pair[1].piece.block == place.block and pair[1].outcomes]
        return known[0] if known and not any(pair[0] != known[0][0] for pair in newer) else None

    def _judging_step(
        self, clause: str, earlier: list[tuple[str, Statement]], word: str
    ) -> tuple[str, Statement] | None:
        """The earlier step that the clause speaks of: it judges, and the clause's other words are its words too."""
        judging = [
            (step_id, s) for step_id, s in earlier
            if s.step_kind in ("check", "approval", "decision") or s.outcomes
        ]  # fmt: skip
        if not judging:
            return None
        rest = clause.replace(word, "", 1).strip(" ，,的经该其")
        if self.cues.language == "zh":
            rest = _FUNCTION_ZH.sub("", rest)
        core = re.sub(r"^(?:不予|不|未获|未经|未|审查|审核)", "", word)
        naming = [pair for pair in judging if core in pair[1].sentence.text]
        last_id, last = judging[-1]
        if len(rest) <= 1 and naming:
            return naming[-1]
        if len(rest) <= 1 or rest in last.piece.text or (last.actor and last.actor.text and last.actor.text in clause):
            return last_id, last
        scored = [
            (fuzz.partial_ratio(rest, s.sentence.text) + (5 if s.outcomes else 0) + at * 0.01, (step_id, s))
            for at, (step_id, s) in enumerate(judging)
        ]
        score, best = max(scored, key=lambda pair: pair[0])
        return best if score >= 60 else None

    # --- facts ------------------------------------------------------------------------------------------------------

    def _fact_ref(self, concept: Concept, piece: Piece, mention: Mention | None) -> Ref:
        place = piece.part(mention.start, mention.end) if mention else piece
        return Ref(f"$.facts.{self.book.add(self.fact_of(concept, place, named=mention is not None))}")

    def _proposition(self, piece: Piece) -> Tree:
        """A boolean fact that the condition's own words name."""
        for fact in self.book.facts.values():
            if fact.type == "boolean" and fact.concept is None and fact.name == piece.text:
                return Compare("eq", Ref(f"$.facts.{fact.id}"), Literally(True, piece.text, "converted", piece.text))
        stripped = _affirmed(piece.text)
        for fact in self.book.facts.values():
            opposite = (stripped != piece.text and fact.name == stripped) or (
                self.cues.language == "en" and fact.name != piece.text and _affirmed(fact.name) == piece.text
            )
            if fact.type == "boolean" and fact.concept is None and opposite:
                return Compare("eq", Ref(f"$.facts.{fact.id}"), Literally(False, piece.text, "converted", piece.text))
        fact = Fact(
            id=self._slug(piece.text, "case"), name=piece.text, type="boolean", evidence=(self._evidence(piece),)
        )
        ref = Ref(f"$.facts.{self.book.add(fact)}")
        return Compare("eq", ref, Literally(True, piece.text, "converted", piece.text))

    def _slug(self, name: str, prefix: str = "fact") -> str:
        for fact in self.book.facts.values():
            if fact.name == name or (self.cues.language == "en" and fact.name.lower() == name.lower()):
                return fact.id
        words = "_".join(re.findall(r"[a-z0-9]+", name.lower())[:6])
        if words and self.cues.language == "en" and words[0].isalpha() and words not in self.book.facts:
            return words
        return f"{prefix}_{sum(1 for fact in self.book.facts.values() if fact.concept is None) + 1}"

    def _evidence(self, piece: Piece) -> Evidence:
        span = Span(doc_id=self.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)
        return Evidence.of(span)

    def _explained(self, text: str, atoms: list[Atom]) -> bool:
        """Whether the words outside the atoms say nothing of their own."""
        rest = "".join(char for at, char in enumerate(text) if not any(a.start <= at < a.end for a in atoms))
        for name in sorted(self.mentions.names, key=len, reverse=True):
            if len(name) > 1 and name in rest.lower():
                rest = re.sub(re.escape(name), "", rest, flags=re.IGNORECASE)
        if self.cues.language == "zh":
            left = _FUNCTION_ZH.sub("", rest)
            if re.search(r"[不未非无没]", left):
                return False
            return not _verbs_zh(left) and len(left) <= 12
        left_words = [w for w in re.findall(r"[a-z']+", rest.lower()) if w not in _FUNCTION_EN]
        return len(left_words) <= 3 and not {"not", "no", "without", "never"} & set(left_words)


_FUNCTION_EN = frozenset(
    re.findall(
        r"[a-z]+",
        "the a an is are was were be been being of in on at by for to and or that this these those it its their with "
        "from as has have had than more less any each per total value case cases where when if amount item items",
    )
)


_MEASURES_EN = frozenset(["total", "value", "amount", "item", "items", "case", "cases"])


_RANGE_EN = re.compile(r"\b(?:between|from)\s+\S+(?:\s+[a-z]+)?\s+(?:and|to)$", re.IGNORECASE)


def _affirmed(text: str) -> str:
    """A proposition without its negation.

    >>> _affirmed("未备案"), _affirmed("the host is not infected")
    ('备案', 'the host is infected')
    """
    bare = re.sub(r"^(?:不|未|没有|非|无)", "", text)
    return re.sub(r"\b(is|are|has|have|was|were|can|will)\s+not\b", r"\1", bare, flags=re.IGNORECASE)


def _judged(said: Verdict, clause: str, start: int, end: int) -> Atom:
    """The comparison with the outcome that an English verdict names."""
    approval = said.statement.step_kind == "approval" or "approved" in said.statement.outcomes
    outcome = {"pass": "approved", "fail": "rejected"}[said.polarity] if approval else said.polarity
    quote = clause[said.start : said.end]
    return Atom(
        start, end, Compare("eq", Ref(f"$.steps.{said.step}.outcome"), Literally(outcome, quote, "converted", quote))
    )


def _verbs_zh(text: str) -> list[str]:
    import rjieba

    return [word for word, tag in rjieba.tag(text) if tag == "v"]


def _clauses(text: str) -> list[tuple[int, int]]:
    spans, begin = [], 0
    for match in re.finditer(r"[，,；;]|(?:，)?(?:并且|而且|且)|\band\b", text):
        spans.append((begin, match.start()))
        begin = match.end()
    return [span for span in (*spans, (begin, len(text))) if span[0] < span[1]]


def _overlaps(one: Atom | Mention, taken: list[tuple[int, int]]) -> bool:
    return any(start < one.end and one.start < end for start, end in taken)


def _unambiguous(mentions: list[Mention]) -> list[Mention]:
    """Of words that are a value of several concepts, those of the concept that the other words speak of."""
    concepts = [m.concept for m in mentions]
    kept: dict[tuple[int, int, object], Mention] = {}
    for mention in sorted(mentions, key=lambda m: (m.start, -concepts.count(m.concept))):
        rival = [key for key in kept if key[0] == mention.start and key[1] == mention.end]
        if rival and kept[rival[0]].concept != mention.concept:
            continue
        kept[(mention.start, mention.end, mention.value)] = mention
    return sorted(kept.values(), key=lambda m: m.start)


def _in_unit(quantity: Measured, concept: Concept) -> float | None:
    if concept.type not in ("number", "integer") or not concept.unit:
        return None
    return convert(quantity.value, quantity.unit.id, concept.unit)


def _literal(quantity: Measured, value: float, unit: str | None) -> Literally:
    plain = int(value) if value == int(value) else value
    converted = unit != quantity.unit.id or value != quantity.value
    return Literally(plain, quantity.text, "converted" if converted else "quoted", quantity.text if converted else None)


def _status(value: Scalar, quote: str) -> LiteralStatus:
    return "quoted" if str(value) == quote else "converted"


def _noun_en(text: str) -> str:
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", text)
    telling = [w for w in words if w.lower() not in _FUNCTION_EN] or [w for w in words if w.lower() in _MEASURES_EN]
    return " ".join(telling[-3:])
