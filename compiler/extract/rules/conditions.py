"""Reads the words of a condition into a tree over facts and over the outcomes of earlier steps.

What is definite becomes comparisons: `超过5万元`, `属于一类或者二类`, `审核不通过`, `exceeds $500`. What states
a plain proposition becomes a boolean fact of its own, named by its words. What leaves the matter to judgement is marked
vague and becomes a boolean fact as well, with a gap.
"""

import re

from catalog.concept import Concept
from compiler.extract.rules.classes import Classes, named_classes
from compiler.extract.rules.comparisons import (
    DEFAULT_NAMES,
    Atom,
    FactBook,
    affirmed,
    among,
    answers,
    clause_begin,
    clauses,
    demanded,
    half_read,
    in_unit,
    leaves_amount,
    literal,
    measured_name,
    only_states,
    overlaps,
    points_back,
    says_more,
    singular,
    telling,
    time_literal,
    together,
    unambiguous,
    unless_denied,
    values_of,
    verbs_zh,
)
from compiler.extract.rules.en.verdicts import Verdict, find_verdict, judged, sentence_end
from compiler.extract.rules.statements import Act, ConditionCue
from compiler.extract.rules.zh.verdicts import judging_step, verdict_words
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_in
from compiler.text.measures import quantities_in
from compiler.text.mentions import Mention, Mentions, Scalar
from compiler.text.ranges import band
from compiler.text.sentences import Piece
from ir.predicate import Compare, Junction, Literally, Ref, Tree, conjoin, leaves, negate, references
from ir.procedure import Fact
from ir.quantities.units import Measured, convert
from ir.source import Evidence, Span

_OR_ZH = re.compile(r"(?:^|[，,\s])(?:或者?|以及|抑或|及)|或者")
MOST_BESIDE, MOST_BESIDE_ANSWER = 3, 1
"""Telling words of an English condition that may stand beside its comparisons, and beside a mere yes or no."""
_WHETHER = re.compile(r"\b(?:whether|if)\b", re.IGNORECASE)
_JOINS = re.compile(r"[\s，,、]*(?:(?:and|or|nor|but)\b|且|并且|或者?|但)?\s*", re.IGNORECASE)
_EITHER = re.compile(r"\bor\b|\bnor\b|或者?", re.IGNORECASE)
_OF_KIND = re.compile(r"[^，,；;]*(?:不?属于|不?是|系)$")  # what is said to be of a kind
_BRACKETED = re.compile(r"[（(][^（）()]*[）)]")
_EN_OR = re.compile(r"\bor\b", re.IGNORECASE)


class ConditionReader:
    """Reads conditions of one document.

    Args:
        mentions: finds the catalog's concepts.
        cues: the words of the document's language.
        doc_id: for evidence.
        classes: the kinds into which the document divides its matters.
    """

    def __init__(self, mentions: Mentions, cues: Lexicon, doc_id: str, classes: Classes | None = None) -> None:
        self.mentions, self.cues, self.doc_id, self.classes = mentions, cues, doc_id, classes
        self.chosen: dict[str, str] = {}  # by the name of a division the step that chooses among its kinds
        self.book = FactBook()
        self.presupposed: set[str] = set()  # facts that no judgement told of
        self._last_subject: tuple[Ref, str | None] | None = None  # what the last quantity was compared with, its unit
        self.open_ends: frozenset[str] = frozenset()  # words such as `以下` that leave the number itself out here
        self._judged: tuple[str, str] | None = None  # block and step of the last verdict

    def read(self, cue: ConditionCue, earlier: list[tuple[str, Act]]) -> Tree:
        """The tree of one condition cue (not of `otherwise`).

        Args:
            earlier: the steps before, by id, for conditions on how one of them came out.
        """
        if cue.heading is not None:
            return self._cell(cue, cue.heading)
        if cue.presupposed:
            tree = self._proposition(cue.piece)
            self.presupposed |= {ref.path[0] for ref in references(tree)}
            return tree
        if cue.measured or cue.classed:
            stated = self.limits(cue.piece) if cue.measured else self._of_class(cue.piece)
            stated = stated if stated is not None else self._proposition(cue.piece)
            return negate(stated) if cue.mode == "unless" else stated
        if cue.cases:
            trees = tuple(self._read_piece(case, earlier, vague=False) for case in cue.cases)
            tree = (conjoin(*trees) if cue.every or len(trees) == 1 else Junction("or", trees)) or trees[0]
        else:
            tree = self._read_piece(cue.piece, earlier, cue.vague)
        return negate(tree) if cue.mode == "unless" else tree

    def _cell(self, cue: ConditionCue, heading: Piece) -> Tree:
        """What cells of a table say: a range or a value of what their column's heading names, or its truth."""
        trees = tuple(self._one_cell(cell, cue, heading) for cell in (cue.piece, *cue.also))
        return trees[0] if len(trees) == 1 else Junction("or", trees)

    def _one_cell(self, cell: Piece, cue: ConditionCue, heading: Piece) -> Tree:
        limits = band(cell.text, self.cues, self.open_ends, cue.measure)
        if not limits and cue.op is not None:
            limits = tuple((cue.op, quantity) for quantity in quantities_in(cell.text, cue.measure)[:1])
        named = heading.text if heading != cell else {"zh": "金额"}.get(self.cues.language, "amount")
        trees: list[Tree] = []
        for op, quantity in limits:
            subject = self._subject_of(heading, named, quantity)
            trees += [Compare(op, subject[0], subject[1])] if subject else []
        if (tree := conjoin(*trees)) is not None:
            return tree
        if (answer := self.cues.answer(cell.text)) is not None:
            fact = Fact(
                id=self._slug(heading.text), name=heading.text, type="boolean", evidence=(self._evidence(heading),)
            )
            return self._holds(fact, cell.text, answer)
        tree = self._conjunction(cell, [])
        if not cue.choices or (tree is not None and self._is_of_column(tree, heading)):
            return tree or self._proposition(cell)
        fact = Fact(
            id=self._slug(heading.text), name=heading.text, type="string", enum=cue.choices,
            evidence=(self._evidence(heading),),
        )  # fmt: skip
        return Compare("eq", Ref(f"$.facts.{self.book.add(fact)}"), Literally(cell.text, cell.text, "quoted"))

    def _is_of_column(self, tree: Tree, heading: Piece) -> bool:
        """Whether a cell is of its heading's concept, or of none: `三级` under `作业等级` is no hazard class."""
        facts = [self.book.facts[ref.path[0]] for ref in references(tree) if ref.root == "facts"]
        named = {mention.concept for mention in self.mentions.find(heading.text) if mention.value is None}
        return all(fact.concept is None or fact.concept in named for fact in facts)

    def _of_class(self, piece: Piece) -> Tree | None:
        """The comparison with classes that words name: values of a concept, else of a fact of their own."""
        named, known = named_classes(piece.text, self.cues.language), self._values(piece, [])
        meant = {value for atom in known for leaf in leaves(atom.tree) for value in values_of(leaf)}
        if len(known) == 1 and (named is None or len(meant) >= len(named.values)):
            return known[0].tree
        if named is None:
            return None
        kind = "integer" if isinstance(named.values[0], int) else "string"
        fact = Fact(id=self._slug(named.name), name=named.name, type=kind, evidence=(self._evidence(piece),))
        return among(Ref(f"$.facts.{self.book.add(fact)}"), named.values, named.quote)

    def told_facts(self) -> dict[str, Fact]:
        """The facts by id, without those that only an act presupposes, which tell how no judgement came out."""
        return {name: fact for name, fact in self.book.facts.items() if name not in self.presupposed}

    def definite(self, piece: Piece) -> Tree | None:
        """The conjunction of the values and limits that a piece names, None where it names none."""
        atoms = self._atoms(piece, []) if piece.text else []
        return together(atom.tree for atom in sorted(atoms, key=lambda a: a.start))

    def limits(self, piece: Piece) -> Tree | None:
        """The comparisons with quantities that a piece states, joined as it joins them; None where it states none."""
        atoms = demanded(self._quantities(piece))
        if not atoms or says_more(piece.text, atoms, self.cues):
            return None
        groups: list[list[Tree]] = []
        for at, atom in enumerate(atoms):
            between = piece.text[atoms[at - 1].end : atom.start] if at else ""
            each = at > 0 and atom.forbidden and atoms[at - 1].forbidden  # `不得低于2℃，也不得高于8℃`
            if at and not each and not _EITHER.search(between):
                groups[-1].append(atom.tree)
            else:
                groups.append([atom.tree])
        trees = tuple(tree for group in groups if (tree := conjoin(*group)) is not None)
        return Junction("or", trees) if len(trees) > 1 else trees[0] if trees else None

    def fact_of(self, concept: Concept, place: Piece, *, named: bool, required: bool = True) -> Fact:
        """The fact that holds a concept, with the words that speak of it; `named` where they are its name."""
        enum = tuple(v for v in concept.enum or () if not isinstance(v, bool)) or None
        language = "zh" if self.cues.language == "zh" else "en"
        return Fact(
            id=concept.id, type=concept.type, concept=concept.id,
            name=place.text if named else concept.labels.get(language, concept.id),
            unit=concept.unit, enum=enum, required=required, evidence=(self._evidence(place),),
        )  # fmt: skip

    def _read_piece(self, piece: Piece, earlier: list[tuple[str, Act]], vague: bool) -> Tree:
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
        return self._holds(fact, piece.text)

    def _holds(self, fact: Fact, quote: str, answer: bool = True) -> Tree:
        """The comparison of a yes or no with what words say of it."""
        return Compare("eq", Ref(f"$.facts.{self.book.add(fact)}"), Literally(answer, quote, "converted", quote))

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

    def _conjunction(self, piece: Piece, earlier: list[tuple[str, Act]]) -> Tree | None:
        """The conjunction of the atoms of a piece; None where some of its words are in none of them."""
        atoms = self._atoms(piece, earlier)
        if not atoms or points_back(piece.text, self.cues) or half_read(piece.text, atoms, self.cues):
            return None
        if not self._explained(piece.text, atoms) or leaves_amount(piece.text, atoms):
            return None
        return together(atom.tree for atom in sorted(atoms, key=lambda a: a.start))

    # --- atoms ------------------------------------------------------------------------------------------------------

    def _atoms(self, piece: Piece, earlier: list[tuple[str, Act]], *, dry: bool = False) -> list[Atom]:
        book = self.book
        if dry:
            self.book = FactBook(dict(book.facts))
        atoms = self._quantities(piece)
        taken = [(a.start, a.end) for a in atoms]
        for clause_start, clause_end in clauses(piece.text):
            verdict = None if dry and not earlier else self._verdict(piece, clause_start, clause_end, earlier)
            if verdict is not None and not overlaps(verdict, taken):
                atoms.append(verdict)
                taken.append((verdict.start, verdict.end))
        named = [atom for atom in self._kinds(piece) if not overlaps(atom, taken)]
        atoms += [*named, *self._values(piece, [*taken, *((atom.start, atom.end) for atom in named)])]
        self.book = book if dry else self.book
        return atoms

    def _quantities(self, piece: Piece) -> list[Atom]:
        """The comparisons of a piece with quantities."""
        atoms: list[Atom] = []
        for limit in limits_in(piece.text, self.cues, self.open_ends):
            begun = atoms[-1].end if atoms else 0
            begun += clause_begin(piece.text[begun : limit.named_until], self.cues)
            before = piece.text[begun : limit.named_until]
            names = not only_states(before, self.cues)
            subject = self._subject_of(piece, before, limit.quantity, limit.counted) if names else None
            if subject is None:
                continue
            ref, literal, start = subject
            joining = _JOINS.match(piece.text[begun + start : limit.start])
            start += joining.end() if joining else 0
            atoms.append(Atom(begun + start, limit.end, Compare(limit.op, ref, literal), limit.forbidden, limit.start))
        return atoms

    def _subject_of(
        self, piece: Piece, before: str, quantity: Measured, counted: str = ""
    ) -> tuple[Ref, Literally, int] | None:
        """The fact that a quantity is compared with: the nearest concept named before it that takes the unit.

        Args:
            counted: what a plain number counts.
        """
        names = [m for m in self.mentions.find(before) if m.value is None]
        for mention in reversed(names):
            concept = self.book.in_currency(self._narrowed(self.mentions.concepts[mention.concept]), quantity)
            value = in_unit(quantity, concept)
            if value is not None:
                ref = self._fact_ref(concept, piece, mention)
                self._last_subject = ref, concept.unit
                return ref, literal(quantity, value, concept.unit), self._begin_of(before, mention.start)
        own = re.split(r"[，,；;]|的(?=单|总)", before)[-1]
        name = telling(own, self.cues)
        if self._last_subject is not None and (not name or self._again(name)):
            ref, unit = self._last_subject  # `超过10万元不超过50万元`, `超过50万元的`: the same amount again
            if unit == "duration" and quantity.unit.iso:
                return ref, time_literal(quantity), len(before)
            value = convert(quantity.value, quantity.unit.id, unit) if unit and unit != "duration" else None
            value = quantity.value if not unit and not quantity.unit.id else value
            if value is not None:
                return ref, literal(quantity, value, unit), len(before)
        fitting = [c for c in self.mentions.concepts.values() if c.unit and in_unit(quantity, c) is not None]
        if len(fitting) == 1 and quantity.unit.dimension == "mass":
            ref = self._fact_ref(fitting[0], piece, None)
            self._last_subject = ref, fitting[0].unit
            return ref, literal(quantity, in_unit(quantity, fitting[0]) or 0, fitting[0].unit), len(before) - len(own)
        name = measured_name(name, piece.text, quantity)
        name = name or counted or DEFAULT_NAMES[self.cues.language == "zh"].get(quantity.unit.dimension, "")
        if not name:
            return None
        return self._open_quantity(piece, name, quantity, len(before) - len(own))

    def _again(self, name: str) -> bool:
        """Whether words are the first or last of what the last quantity was of: `loans` after `loans insured for`."""
        known = self.book.facts.get(self._last_subject[0].path[0]) if self._last_subject is not None else None
        told = singular(known.name).split() if known is not None and known.concept is None else []
        said = singular(name).split()
        part = said in (told[: len(said)], told[-len(said) :]) and len(said) < len(told)
        return self.cues.language == "en" and bool(said) and part

    def _begin_of(self, before: str, start: int) -> int:
        """Where the noun phrase begins that a name ends: `预算` of `预算金额` says nothing of its own."""
        begin = max(before.rfind(mark, 0, start) for mark in "，,；;") + 1
        short = start - begin <= 4
        return begin if self.cues.language == "zh" and (short or not verbs_zh(before[begin:start])) else start

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
            spec = Fact(id=self._slug(name), name=name, type="duration", evidence=(self._evidence(piece),))
            self._last_subject = Ref(f"$.facts.{self.book.add(spec)}"), "duration"
            return self._last_subject[0], time_literal(quantity), start
        value = convert(quantity.value, unit.id, unit.canonical)
        own = unit.canonical or None
        spec = Fact(id=self._slug(name), name=name, type="number", unit=own, evidence=(self._evidence(piece),))
        ref = Ref(f"$.facts.{self.book.add(spec)}")
        self._last_subject = ref, unit.canonical
        return ref, literal(quantity, quantity.value if value is None else value, unit.canonical), start

    def _values(self, piece: Piece, taken: list[tuple[int, int]]) -> list[Atom]:
        """Comparisons with the values of concepts: those of one concept that stand in a row are one `in`."""
        free = [m for m in self.mentions.find(piece.text) if m.value is not None]
        free = [
            m for m in free if not overlaps(m, taken) and self._says_enough(m) and not self._ends_a_name(piece.text, m)
        ]
        groups: list[list[Mention]] = []
        for mention in unambiguous(free):
            same = groups and groups[-1][-1].concept == mention.concept
            between = _BRACKETED.sub("", piece.text[groups[-1][-1].end : mention.start]) if same else ""
            if same and re.fullmatch(r"\s*(?:[、，,/]|或者?|和|与|及|以及|or|and|, or)?\s*(?:第)?", between):
                groups[-1].append(mention)
            else:
                groups.append([mention])
        return [self._value_atom(piece, group) for group in groups]

    def _kinds(self, piece: Piece) -> list[Atom]:
        """Comparisons with the kinds into which the document divides its matters."""
        atoms = []
        for kind in self.classes.find(piece.text) if self.classes else ():
            name, division = kind.division.name, kind.division
            quote = piece.text[kind.start : kind.end]
            if name in self.chosen:
                ref = Ref(f"$.steps.{self.chosen[name]}.outcome")
            else:
                spec = Fact(
                    id=self._slug(name), name=name, type="string", enum=division.values,
                    evidence=(self._evidence(piece.part(kind.start, kind.end)),),
                )  # fmt: skip
                ref = Ref(f"$.facts.{self.book.add(spec)}")
            tree = unless_denied(among(ref, kind.values, quote), piece.text[: kind.start])
            subject = _OF_KIND.search(piece.text[: kind.start])
            atoms.append(Atom(subject.start() if subject else kind.start, kind.end, tree))
        return atoms

    def _says_enough(self, mention: Mention) -> bool:
        """Whether words for yes or no are more than a bare verdict (`合格`), which says nothing of what it judges."""
        boolean = self.mentions.concepts[mention.concept].type == "boolean"
        return not boolean or len(mention.text) > (2 if self.cues.language == "zh" else 6)

    def _ends_a_name(self, text: str, mention: Mention) -> bool:
        """Whether words for a value only end a longer Chinese name (`道路` in `市管道路`)."""
        before = text[: mention.start]
        if self.cues.language != "zh" or not before or not "\u4e00" <= before[-1] <= "\u9fff":
            return False
        ordinal = re.match(r"第?[一二三四五六七八九十]", mention.text) is not None
        return not ordinal and not before.endswith((*self.cues.words("fact_stop"), *self.cues.words("modals")))

    def _value_atom(self, piece: Piece, group: list[Mention]) -> Atom:
        concept = self.mentions.concepts[group[0].concept]
        start, end = group[0].start, group[-1].end
        ref = self._fact_ref(concept, piece, None)
        values: list[Scalar] = list(dict.fromkeys(m.value for m in group if m.value is not None))
        tree = among(ref, values, piece.text[start:end])
        return Atom(start, end, unless_denied(tree, piece.text[:start]))

    def _verdict(self, place: Piece, start: int, end: int, earlier: list[tuple[str, Act]]) -> Atom | None:
        """A condition on how an earlier step came out (`审核不通过`, `if approved`)."""
        clause = place.text[start:end]
        if self.cues.language == "en":
            said = find_verdict(clause, earlier, self.cues)
            asked = self._asked_whether(said) if said is not None and said.bare else None
            if said is not None and asked is not None:
                return Atom(start, end, negate(asked) if said.polarity == "fail" else asked)
            return judged(said, clause, start, end) if said else None
        words = verdict_words(clause, self.cues)
        if words is None:
            return None
        step = self._same_sentence(place, earlier) or judging_step(clause, earlier, words.word)
        if step is None:
            return None
        self._judged = (place.block, step[0])
        step_id, statement = step
        approval = statement.step_kind == "approval" or "approved" in statement.outcomes
        outcome = {"pass": "approved", "fail": "rejected"}[words.polarity] if approval else words.polarity
        literal = Literally(outcome, words.quote, "converted", words.quote)
        return Atom(start, end, Compare("eq", Ref(f"$.steps.{step_id}.outcome"), literal))

    def _asked_whether(self, said: Verdict) -> Tree | None:
        """What a check asks, where its words are definite: `checks whether it weighs more than 20 t. If so, …`."""
        sentence = said.statement.sentence
        match = _WHETHER.search(sentence.text)
        return self.limits(sentence.part(match.end(), sentence_end(sentence.text))) if match else None

    def _same_sentence(self, place: Piece, earlier: list[tuple[str, Act]]) -> tuple[str, Act] | None:
        """The step that the block's last condition was about: `清点无误的，…；数量不符的，…` speaks of one count."""
        if self._judged is None or self._judged[0] != place.block:
            return None
        known = [pair for pair in earlier if pair[0] == self._judged[1]]
        newer = [pair for pair in earlier if pair[1].piece.block == place.block and pair[1].outcomes]
        return known[0] if known and not any(pair[0] != known[0][0] for pair in newer) else None

    # --- facts ------------------------------------------------------------------------------------------------------

    def _fact_ref(self, concept: Concept, piece: Piece, mention: Mention | None) -> Ref:
        place = piece.part(mention.start, mention.end) if mention else piece
        return Ref(f"$.facts.{self.book.add(self.fact_of(concept, place, named=mention is not None))}")

    def _proposition(self, piece: Piece) -> Tree:
        """A boolean fact that the condition's own words name."""
        own = [fact for fact in self.book.facts.values() if fact.type == "boolean" and fact.concept is None]
        stripped, quote = affirmed(piece.text), piece.text
        same = next((fact.id for fact in own if fact.name == quote), None)
        opposite = (
            fact.id
            for fact in own
            if (stripped != quote and fact.name == stripped)
            or (self.cues.language == "en" and fact.name != quote and affirmed(fact.name) == quote)
        )
        known = same or next(opposite, None)
        if known is not None:
            return Compare("eq", Ref(f"$.facts.{known}"), Literally(known == same, quote, "converted", quote))
        fact = Fact(id=self._slug(quote, "case"), name=quote, type="boolean", evidence=(self._evidence(piece),))
        return self._holds(fact, quote)

    def _slug(self, name: str, prefix: str = "fact") -> str:
        for fact in self.book.facts.values():
            if fact.name == name or (self.cues.language == "en" and singular(fact.name) == singular(name)):
                return fact.id
        words = "_".join(re.findall(r"[a-z0-9]+", name.lower())[:6])
        if words and self.cues.language == "en" and words[0].isalpha() and words not in self.book.facts:
            return words
        return f"{prefix}_{sum(1 for fact in self.book.facts.values() if fact.concept is None) + 1}"

    def _evidence(self, piece: Piece) -> Evidence:
        span = Span(doc_id=self.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)
        return Evidence.from_span(span)

    def _explained(self, text: str, atoms: list[Atom]) -> bool:
        """Whether the words outside the atoms say nothing of their own."""
        rest = "".join(char for at, char in enumerate(text) if not any(a.start <= at < a.end for a in atoms))
        for name in sorted(self.mentions.names, key=len, reverse=True):
            if len(name) > 1 and name in rest.lower():
                rest = re.sub(re.escape(name), "", rest, flags=re.IGNORECASE)
        if self.cues.language == "zh":
            left = telling(rest, self.cues)
            if re.search(r"[不未非无没]", left):
                return False
            return not verbs_zh(left) and len(left) <= 12
        beside, denying = (self.cues.words("small_words", key) for key in ("beside_facts", "denying"))
        words = [word for word in re.findall(r"[a-z']+", rest.lower()) if word not in beside]
        most = MOST_BESIDE_ANSWER if all(map(answers, atoms)) else MOST_BESIDE
        return len(words) <= most and not set(denying) & set(words)
