"""The pieces that conditions are read into, and the small questions about words that this takes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import rjieba

from catalog.concept import Concept
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import INVERSE, limits_a_part
from compiler.text.mentions import Mention, Scalar
from compiler.text.sentences import Piece
from ir.predicate import Compare, Junction, Literally, LiteralStatus, Not, Null, Ref, Tree, conjoin, leaves
from ir.procedure import Fact
from ir.quantities.numerals import find_numbers
from ir.quantities.units import CURRENCIES, Measured, convert, find_quantities

DEFAULT_NAMES = (
    {"duration": "duration", "temperature": "temperature", "percent": "share", "persons": "number of persons",
     "number": "number", "length": "length", "area": "area", "volume": "volume", "mass": "weight"}
    | dict.fromkeys(CURRENCIES, "amount"),
    {"duration": "时长", "temperature": "温度", "percent": "比例", "persons": "人数", "number": "数量",
     "length": "长度", "area": "面积", "volume": "体积", "mass": "重量"} | dict.fromkeys(CURRENCIES, "金额"),
)  # fmt: skip
"""What a quantity is called that no words name, in English and in Chinese, by its dimension."""


_BOOLEAN = frozenset({"True", "False"})


@dataclass
class FactBook:
    """The facts met so far, by id; conditions add theirs."""

    facts: dict[str, Fact] = field(default_factory=dict)

    def add(self, fact: Fact) -> str:
        """Keep a fact, with the evidence of an equal earlier one; gives its id, another one where the units differ."""
        known = self.facts.get(fact.id)
        if known is not None and known.unit and fact.unit and known.unit != fact.unit:
            suffix = re.sub(r"\W", "", fact.unit).lower() or "share"
            return self.add(fact.model_copy(update={"id": f"{fact.id}_{suffix}"}))
        evidence = tuple(dict.fromkeys((*(known.evidence if known else ()), *fact.evidence)))
        kept = fact if known is None else known
        self.facts[fact.id] = kept.model_copy(update={"evidence": evidence[:6], "unit": kept.unit or fact.unit})
        return fact.id

    def in_currency(self, concept: Concept, quantity: Measured) -> Concept:
        """A concept of money in the currency in which the document gave it first, or gives it here; others as they are.

        No currency converts into another, so that a sum in a second one fits no such concept.
        """
        if concept.measure != "money":
            return concept
        known = self.facts.get(concept.id)
        given = quantity.unit.id if quantity.unit.id in CURRENCIES else None
        return concept.model_copy(update={"unit": known.unit if known and known.unit else given})


@dataclass(frozen=True)
class Atom:
    """One comparison with the place of its words in the condition's text.

    Args:
        forbidden: a modal that forbids governs it.
        number: where the words of its comparison begin, after those of what is compared; -1 for the start.
    """

    start: int
    end: int
    tree: Tree
    forbidden: bool = False
    number: int = -1


def points_back(text: str, cues: Lexicon) -> bool:
    """Whether words compare with a limit that is told elsewhere (`高于此数但不超过50万元`), which no number here is."""
    return cues.patterns("comparisons").back.search(text) is not None


def answers(atom: Atom) -> bool:
    """Whether an atom compares a catalog's yes or no, which words beside it may make another one."""
    return all(
        isinstance(leaf, Compare) and isinstance(leaf.right, Literally) and isinstance(leaf.right.value, bool)
        for leaf in leaves(atom.tree)
    )


_CONNECTIVE = re.compile(r"(?P<or>或者?(?![许者])|以及|抑或|\bor\b)|并且|而且|(?<![而并])且|\band\b", re.IGNORECASE)


def leaves_amount(text: str, atoms: list[Atom]) -> bool:
    """Whether an amount or a time stands outside the atoms: `unpaid for 30 days` is more than unpaid."""
    return any(not any(a.start <= one.start < a.end for a in atoms) for one in find_quantities(text))


def measured_name(name: str, text: str, quantity: Measured) -> str:
    """What a quantity is of: of `the tool is more than 10 days late` how late the tool is, and not the tool."""
    state = lexicon("en").patterns("comparisons").measured.match(text, quantity.end) if name else None
    return f"{name} {state[1]}" if state is not None else name


def only_states(before: str, cues: Lexicon) -> bool:
    """Whether the words before a comparison say in which case it holds and not what is measured.

    >>> from compiler.text.lexicon import lexicon
    >>> [only_states(words, lexicon("zh")) for words in ("在富氧环境下", "检修时", "氧含量", "富氧环境下氧含量")]
    [True, True, False, False]
    """
    return cues.patterns("comparisons").state.fullmatch(before.strip()) is not None


def measures_other(clause: Piece, sentence: Piece, cues: Lexicon) -> bool:
    """Whether the limits of a clause are of something that it does not name: of a part, or after a bare state.

    >>> from compiler.text.lexicon import lexicon
    >>> text = "在富氧环境下，不得大于23.5%"
    >>> measures_other(Piece("b", 7, 16, text[7:]), Piece("b", 0, 16, text), lexicon("zh"))
    True
    """
    before = re.split("[，,；;]", sentence.text[: clause.start - sentence.start].rstrip("，, "))[-1]
    bare = (modal := cues.modal(clause.text)) is not None and modal.start() == 0
    return limits_a_part(sentence.text) or (bare and only_states(before, cues))


def half_read(text: str, atoms: list[Atom], cues: Lexicon) -> bool:
    """Whether a side of an `and` or `or` is in no atom, or an `or` stands between atoms."""
    cuts = [m for m in _CONNECTIVE.finditer(text) if not any(a.start < m.end() and m.start() < a.end for a in atoms)]
    if any(m["or"] for m in cuts):
        return True
    begin = 0
    for end, following in [*((m.start(), m.end()) for m in cuts), (len(text), len(text))]:
        side = text[begin:end]
        bare = not any(a.start < end and begin < a.end for a in atoms)
        if bare and len(telling(side, cues)) > 1:
            return True
        begin = following
    return False


def clause_begin(text: str, cues: Lexicon) -> int:
    """Where the last clause of some words begins, after clauses that state something of their own; 0 with one alone.

    >>> from compiler.text.lexicon import lexicon
    >>> clause_begin("the seal is broken or the truck has", lexicon("en"))
    21
    >>> clause_begin("weight of parcels and letters", lexicon("en"))
    0
    """
    says, begin = cues.patterns("comparisons"), 0
    for match in says.joint.finditer(text):
        if says.states.search(text[begin : match.start()]):
            begin = match.end()
    return begin


def unread_number(text: str, atoms: list[Atom]) -> bool:
    """Whether a number stands beside some comparisons that is in none of them (`低于两成或者高于20%`)."""
    return any(
        not any(a.number <= number.start < a.end for a in atoms)
        and not _NAMES_ONLY.search(text[: number.start])
        and not re.match(r"[号楼栋层室期条款项日月年]", text[number.end :])
        and not (number.value == 1 and not number.text.strip().isdigit())
        for number in find_numbers(text)
    )


_NAMES_ONLY = re.compile(r"(?:第|每|单|class|category|grade|level|type|zone|section|article|per)\s*$", re.IGNORECASE)


def says_more(text: str, atoms: list[Atom], cues: Lexicon) -> bool:
    """Whether some words state more than comparisons: clauses joined by `and` or `or`, a limit told elsewhere."""
    if points_back(text, cues) or unread_number(text, atoms):
        return True
    first, last = min(a.start for a in atoms), max(a.end for a in atoms)
    says = cues.patterns("comparisons")
    after = says.joint.match(text[last:].lstrip())
    tail = text[last:].lstrip()[after.end() :] if after is not None else ""
    denies = cues.language == "zh" and re.search(r"[未没不无非](?![论管足])", text[last:]) is not None
    return clause_begin(text[:first], cues) > 0 or denies or says.states.search(tail) is not None


def demanded(atoms: list[Atom]) -> list[Atom]:
    """What has to hold, where some limits are demanded and others forbidden (`at least 2, but never more than 5`)."""
    if all(atom.forbidden for atom in atoms) or not any(atom.forbidden for atom in atoms):
        return atoms
    return [replace(a, tree=_inverse(a.tree), forbidden=False) if a.forbidden else a for a in atoms]


def _inverse(tree: Tree) -> Tree:
    inverse = INVERSE.get(tree.op) if isinstance(tree, Compare) else None
    return replace(tree, op=inverse) if isinstance(tree, Compare) and inverse is not None else Not(tree)


def verbs_zh(text: str) -> list[str]:
    return [word for word, tag in rjieba.tag(text) if tag == "v"]


def clauses(text: str) -> list[tuple[int, int]]:
    spans, begin = [], 0
    for match in re.finditer(r"[，,；;]|(?:，)?(?:并且|而且|且)|\band\b", text):
        spans.append((begin, match.start()))
        begin = match.end()
    return [span for span in (*spans, (begin, len(text))) if span[0] < span[1]]


def overlaps(one: Atom | Mention, taken: list[tuple[int, int]]) -> bool:
    return any(start < one.end and one.start < end for start, end in taken)


def unambiguous(mentions: list[Mention]) -> list[Mention]:
    """Of words that are a value of several concepts, those of the concept that the other words speak of."""
    concepts = [m.concept for m in mentions]
    kept: dict[tuple[int, int, object], Mention] = {}
    for mention in sorted(mentions, key=lambda m: (m.start, -concepts.count(m.concept))):
        rival = [key for key in kept if key[0] == mention.start and key[1] == mention.end]
        if rival and kept[rival[0]].concept != mention.concept:
            continue
        kept[(mention.start, mention.end, mention.value)] = mention
    return sorted(kept.values(), key=lambda m: m.start)


def in_unit(quantity: Measured, concept: Concept) -> float | None:
    if concept.type not in ("number", "integer") or not concept.unit:
        return None
    return convert(quantity.value, quantity.unit.id, concept.unit)


def literal(quantity: Measured, value: float, unit: str | None) -> Literally:
    plain = int(value) if value == int(value) else value
    written = re.sub(r"[,，\s]", "", quantity.text)
    as_written = re.search(rf"(?<![\d.]){re.escape(str(plain))}(?![\d.]|\s*[千万亿kKmMb])", written) is not None
    converted = unit != quantity.unit.id or not as_written or quantity.said != quantity.text
    return Literally(plain, quantity.text, "converted" if converted else "quoted", quantity.said if converted else None)


def time_literal(quantity: Measured) -> Literally:
    return Literally(quantity.duration, quantity.text, "converted", quantity.said)


def status(value: Scalar, quote: str) -> LiteralStatus:
    return "quoted" if str(value) == quote else "converted"


def telling(text: str, cues: Lexicon) -> str:
    """The words that say something of their own; of English ones the last three."""
    if cues.language == "zh":
        return cues.patterns("comparisons").function.sub("", text)
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", text)
    own = [w for w in words if w.lower() not in cues.words("small_words", "beside_facts")]
    return " ".join((own or [w for w in words if w.lower() in cues.words("small_words", "measures")])[-3:])


def affirmed(text: str) -> str:
    """A proposition without its negation.

    >>> affirmed("未备案"), affirmed("the host is not infected")
    ('备案', 'the host is infected')
    """
    bare = re.sub(r"^(?:不|未|没有|非|无)", "", text)
    return re.sub(r"\b(is|are|has|have|was|were|can|will)\s+not\b", r"\1", bare, flags=re.IGNORECASE)


def values_of(leaf: Compare | Null) -> tuple[object, ...]:
    """The values that a comparison names."""
    value = leaf.right.value if isinstance(leaf, Compare) and isinstance(leaf.right, Literally) else None
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


def singular(name: str) -> str:
    """A name without capitals and the marks of plurals: `Gifts worth` names what `gift worth` names."""
    return re.sub(r"(?<=[a-z]{3})s\b", "", name.lower())


def together(trees: Iterable[Tree | None]) -> Tree | None:
    """The conjunction; different values of one fact are alternatives, since nothing has two (`第一类和第七类`).

    >>> from ir.infix import to_infix
    >>> one, seven, air = (Compare("eq", Ref(f"$.facts.{name}"), Literally(value)) for name, value in
    ...                    (("class", 1), ("class", 7), ("way", "air")))
    >>> to_infix(together([one, air, seven]))
    '($.facts.class == 1 or $.facts.class == 7) and $.facts.way == "air"'
    """
    held: list[tuple[Tree, ...]] = []
    for tree in trees:
        at = next((n for n, rivals in enumerate(held) if all(_other_values(one, tree) for one in rivals)), None)
        if at is not None and tree is not None:
            held[at] = (*held[at], tree)
        else:
            held += [(tree,)] if tree is not None else []
    return conjoin(*(rivals[0] if len(rivals) == 1 else Junction("or", rivals) for rivals in held))


def _other_values(one: Tree, other: Tree | None) -> bool:
    """Whether two comparisons name values of one fact, and none of them both."""
    if not isinstance(one, Compare) or not isinstance(other, Compare) or one.left != other.left:
        return False
    plain = all(tree.op in ("eq", "in") and _BOOLEAN.isdisjoint(values_of(tree)) for tree in (one, other))
    fact = isinstance(one.left, Ref) and one.left.root == "facts"
    return plain and fact and set(values_of(one)).isdisjoint(values_of(other))


def among(ref: Ref, values: Sequence[Scalar], quote: str) -> Tree:
    """That a fact or outcome is one of the values that words name."""
    if len(values) == 1:
        return Compare("eq", ref, Literally(values[0], quote, status(values[0], quote)))
    return Compare("in", ref, Literally(list(values), quote, "converted", quote))


def unless_denied(tree: Tree, before: str) -> Tree:
    """A comparison, or that it does not hold where the words right before it deny it."""
    denied = re.search(r"(?:非|不属于|不是|除)$|\b(?:not|non)[\s-]*$", before[-8:], re.IGNORECASE)
    return Not(tree) if denied else tree
