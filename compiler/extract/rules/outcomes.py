"""How steps come out: what occasions the first one, what a refusal leads to, which outcomes conditions tell apart."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from compiler.extract.rules.extraction_state import Draft, ExtractionState, likeness
from compiler.extract.rules.flows import Item, Route
from compiler.extract.rules.statements import ConditionCue
from compiler.text.lexicon import Patterns
from compiler.text.sentences import Piece
from compiler.text.tenor import Tenor, denies_harm, tenor
from ir.predicate import Compare, Junction, Literally, Not, Ref, Tree, leaves, references
from ir.procedure import Fact
from validator.analysis.implication import OUTCOMES, Logic


def take_occasion(state: ExtractionState, facts: Mapping[str, Fact], says: Patterns) -> None:
    """What has to be the case for the first step to be taken at all is the trigger, not a branch."""
    steps = [item for item in state.items if item.kind != "skip" and item.course is None]
    guard = steps[0].guard if steps else None
    left = guard.left if isinstance(guard, Compare) and guard.op == "eq" else None
    fact = facts.get(left.path[0]) if isinstance(left, Ref) else None
    unconditional = [item for item in steps if item.kind == "step" and item.guard != guard]
    if fact is None or fact.type != "boolean" or fact.concept or _chooses(steps, guard, unconditional):
        return
    if steps[0].ends not in (None, "completed"):
        return  # whom a refusal meets is no case that the procedure is about
    first = next((draft.first for draft in state.drafts if draft.id == steps[0].id), None)
    if first is not None and says.only.search(first.sentence.text):
        return  # `only when …` says when not, as no occasion does
    state.items = [
        replace(item, guard=None) if item.guard == guard and item.course is None else item for item in state.items
    ]


_OPPOSITE = {"pass": "fail", "fail": "pass", "approved": "rejected", "rejected": "approved"}


def other_outcome(tree: Tree, words: str) -> Tree:
    """A step that did not come out one way came out the other; any other tree as it is."""
    item = tree.item if isinstance(tree, Not) else None
    if not isinstance(item, Compare) or item.op != "eq" or not isinstance(item.left, Ref) or item.left.root != "steps":
        return tree
    value = item.right.value if isinstance(item.right, Literally) else None
    other = _OPPOSITE.get(value) if isinstance(value, str) else None
    return Compare("eq", item.left, Literally(other, words, "converted", words)) if other else tree


def opposite_case(
    cue: ConditionCue, sentence: Piece, known: Iterable[tuple[ConditionCue, Tree]], says: Patterns
) -> Tree | None:
    """The other outcome of the step that a condition of the same sentence reads: `同意的…，不同意的…`.

    None where the words are not those of such a condition with or without a `not`.
    """
    plain = says.negation.sub("", cue.piece.text)
    for other, tree in known:
        inside = other.piece.block == sentence.block and sentence.start <= other.piece.start < sentence.end
        alike = says.negation.sub("", other.piece.text) == plain and other.piece.text != cue.piece.text
        if inside and alike and cue.mode == other.mode == "when":
            turned = other_outcome(Not(tree), cue.piece.text)
            return None if isinstance(turned, Not) else turned
    return None


def _chooses(steps: list[Item], guard: Tree | None, others: list[Item]) -> bool:
    """Whether the first condition only chooses one act among others: the act after it is done on another condition.

    Two or more acts on the first condition say that the procedure is about that case.
    """
    first = [item for item in steps if item.guard == guard]
    rival = len(steps) > 1 and steps[1].guard is not None and steps[1].guard != guard
    return bool(others) and len(first) < 2 and rival


# --- conditions that tell how a judgement came out --------------------------------------------------------------------


_FAILED = "failed"
SHARED = 40.0  # of 100, of a condition's words that stand in the judgement's too


def judge_outcomes(state: ExtractionState, facts: Mapping[str, Fact], order: Mapping[str, int], says: Patterns) -> None:
    """Conditions right after a judgement that nothing else explains say how it came out.

    `核实必要性。没有必要的，退回；确有必要的，填写` has two ways out of the check, not two facts known beforehand. One
    or two such conditions become the judgement's outcomes; where there are more, they stay facts. Of other steps two
    do, one of which is adverse: `if an objection is raised`, `if no objection is raised`.

    Args:
        facts: by id.
        order: position of each block in the document.
        says: the words of the document's language.
    """
    drafts = {draft.id: draft for draft in state.drafts}
    for at, item in enumerate(state.items):
        draft = drafts.get(item.id)
        if draft is None:
            continue
        pair = OUTCOMES[0] if draft.first.step_kind == "approval" else OUTCOMES[1]
        run = list(_run(state.items, at, order.get(draft.statements[-1].piece.block), order))
        names = list(dict.fromkeys(name for i in run for name in _propositions(state.items[i].guard, facts, says)))
        others = (other for i, other in enumerate(state.items) if i not in run) if names else ()
        elsewhere = {name for other in others for name in _named(other.guard)}
        names = [name for name in names if name not in elsewhere]
        said = {
            leaf.right.value
            for i in run
            for leaf in leaves(state.items[i].guard)  # type: ignore[arg-type]
            if isinstance(leaf, Compare) and isinstance(leaf.right, Literally) and _reads(leaf, item.id)
        }
        judges = draft.first.step_kind in ("check", "decision", "approval")
        words = [facts[name].name for name in names]
        approval = draft.first.step_kind == "approval"
        if len(names) + len(said) > 2:  # other conditions stand among them
            names = [n for n in names if _about([facts[n].name], draft.first.piece.text, says, approval=approval)]
            words = [facts[name].name for name in names]
        judges = judges and _about(words, draft.first.piece.text, says, approval=approval)
        words = [_spelt_out(text, draft.first.piece.text, says) for text in words]
        tenors = [_tells(text, draft.first.piece.text, says, approval=approval) for text in words]
        values = _values(words, tenors, {str(value) for value in said}, pair, says, judges=judges)
        for name, value in zip(names, values, strict=False):
            for i in run:
                guard = _replaced(state.items[i].guard, name, Ref(f"$.steps.{item.id}.outcome"), value, pair)
                state.items[i] = replace(state.items[i], guard=guard)
        if values:
            draft.outcomes = draft.outcomes or pair


def _spelt_out(text: str, judgement: str, says: Patterns) -> str:
    """That it failed, where a condition only points to the harm whose presence was judged (`if they are`)."""
    asked = says.asked.search(judgement)
    points = asked is not None and says.points.match(text) and says.harm.search(asked["what"])
    return _FAILED if points and not tenor(text) and not says.denied.search(text) else text


def _tells(text: str, judgement: str, says: Patterns, *, approval: bool) -> Tenor | None:
    """Whether a condition tells of a good or a bad end of a judgement; None where its words do not show it."""
    if approval and says.refuses.search(text):
        return "bad"
    if says.so.match(text):
        return "good"
    if says.screens.search(judgement) and (hit := says.hit.search(text)) is not None:
        return "good" if says.lacks.search(text[: hit.end()]) else "bad"
    worth = says.worth.search(text)
    if worth is not None and worth[0].lower() in judgement.lower():
        return "bad" if says.denied.search(text[: worth.end()]) else "good"
    return tenor(text)


def _about(words: list[str], judgement: str, says: Patterns, *, approval: bool) -> bool:
    """Whether conditions speak of what is judged: one of them is adverse, or all share its words or point to it."""
    adverse = sum(_tells(text, judgement, says, approval=approval) == "bad" for text in words)
    denied = 0 if approval else sum(map(denies_harm, words))
    if 1 in (adverse, denied) and len(words) <= 2:
        return True
    return all(says.points.match(text) or likeness(text, judgement) >= SHARED for text in words)


def _run(items: list[Item], at: int, place: int | None, order: Mapping[str, int]) -> Iterator[int]:
    """The conditional items right after a step, in its block or the next."""
    for i in range(at + 1, len(items)):
        item = items[i]
        if item.course != items[at].course:
            return
        if item.guard is None and item.kind == "skip":
            continue
        here = order.get(item.evidence[0].block or "") if item.evidence else None
        if item.guard is None or here is None or place is None or not place <= here <= place + 1:
            return
        place = here  # a list of cases may follow
        yield i


def _propositions(guard: Tree | None, facts: Mapping[str, Fact], says: Patterns) -> Iterator[str]:
    """The facts of a condition that are nothing but its own words."""
    for leaf in leaves(guard) if guard is not None else ():
        if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and leaf.left.root == "facts":
            fact = facts.get(leaf.left.path[0])
            own = fact is not None and fact.type == "boolean" and fact.concept is None
            if fact is not None and own and not says.states.match(fact.name) and not says.overdue.search(fact.name):
                yield fact.id


def _named(guard: Tree | None) -> Iterator[str]:
    return (ref.path[0] for ref in references(guard) if ref.root == "facts") if guard is not None else iter(())


def _reads(leaf: Compare, step: str) -> bool:
    return isinstance(leaf.left, Ref) and leaf.left.root == "steps" and leaf.left.node == step


def _values(
    words: list[str], tenors: list[Tenor | None], said: set[str], pair: tuple[str, str], says: Patterns, *, judges: bool
) -> list[str]:
    """An outcome for each of one or two propositions; nothing where their words do not show which.

    Args:
        tenors: what each proposition tells of.
        said: the outcomes that conditions beside them read already.
    """
    good, bad = pair
    known = said & set(pair)
    if not words or len(words) + len(known) > 2 or said - known:
        return []
    if not judges and (known or len(words) != 2 or not _opposed(words[0], words[1], says)):
        return []
    named: list[Tenor | None] = [*tenors, *("good" if one == good else "bad" for one in known)]
    if len(named) == 2 and len(words) == 2 and _opposed(words[0], words[1], says):
        named = [_other(named[1 - at]) if one is None else one for at, one in enumerate(named)]
    if None in named or len(set(named)) < len(named):
        return []
    return [good if one == "good" else bad for one in named[: len(words)]]


def _other(tenor: Tenor | None) -> Tenor | None:
    return {"good": "bad", "bad": "good"}.get(tenor or "")  # type: ignore[return-value]


def _opposed(one: str, other: str, says: Patterns) -> bool:
    """Whether one of two conditions denies what the other says.

    >>> from compiler.text.lexicon import lexicon
    >>> says = lexicon("en").patterns("outcomes")
    >>> _opposed("an objection is raised", "no objection is raised", says), _opposed("it is torn", "it isn't", says)
    (True, False)
    """
    pairs = ((one, other), (other, one))
    return any(m[1][:5].lower() in b.lower() for a, b in pairs for m in says.denied.finditer(a)) and one != other


def _replaced(guard: Tree | None, name: str, by: Ref, value: str, pair: tuple[str, str]) -> Tree | None:
    """A condition with the outcome in place of the proposition; what denies the proposition reads the other outcome."""
    match guard:
        case Compare("eq", Ref(), Literally()) if guard.left == Ref(f"$.facts.{name}"):
            quote = guard.right.quote if isinstance(guard.right, Literally) else None
            holds = isinstance(guard.right, Literally) and guard.right.value is True
            other = next(one for one in pair if one != value)
            return Compare("eq", by, Literally(value if holds else other, quote, "converted", quote))
        case Not(item):
            inner = _replaced(item, name, by, value, pair)
            return Not(inner) if inner is not None else None
        case Junction(op, items):
            found = [_replaced(item, name, by, value, pair) for item in items]
            return Junction(op, tuple(item for item in found if item is not None))
    return guard


def spread_verdicts(state: ExtractionState, logic: Logic) -> None:
    """What is to be done on a verdict of `审批` holds for each approval that may have given it.

    A refusal is also that of the approvals before it of which nothing is said; either verdict is also that of the
    approvals that stand in its place in other cases (`up to 25,000 …; above …`).
    """
    approvals = [draft.id for draft in state.drafts if draft.first.step_kind == "approval"]
    said = {ref.node for item in state.items if item.guard for ref in references(item.guard)}
    silent = [name for name in approvals if name not in said]
    order = [item.id for item in state.items]
    items = {item.id: item for item in state.items}
    for at, item in enumerate(state.items):
        guard = item.guard
        if not isinstance(guard, Compare) or not isinstance(guard.left, Ref) or not isinstance(guard.right, Literally):
            continue
        judged = guard.left.node
        if guard.op != "eq" or judged not in approvals or guard.right.value not in OUTCOMES[0]:
            continue
        before = [name for name in approvals if order.index(name) < at and name != judged]
        before = [name for name in before if items[name].course == item.course]
        rivals = [name for name in before if logic.contradict(items[name].guard, items[judged].guard)]
        others = [name for name in before if name in rivals or (name in silent and guard.right.value == "rejected")]
        if others:
            each = tuple(replace(guard, left=Ref(f"$.steps.{name}.outcome")) for name in others)
            state.items[at] = replace(item, guard=Junction("or", (*each, guard)))


def go_on_after_grants(state: ExtractionState, reached: Container[str]) -> list[Draft]:
    """Have acts upon a grant that no way leads to follow all approvals (`获得批准的，…`); gives these acts.

    A refusal ends the run: whoever comes there was granted it, or needed nobody's approval, which is to be asked.
    """
    changed = []
    for at, item in enumerate(state.items):
        guard = item.guard
        if item.kind != "step" or item.id in reached or not isinstance(guard, Compare):
            continue
        if isinstance(guard.right, Literally) and guard.right.value == "approved":
            draft = next(draft for draft in state.drafts if draft.id == item.id)
            state.items[at], draft.guard = replace(item, guard=None), None
            changed.append(draft)
    return changed


def name_outcomes(drafts: list[Draft], routes: list[Route]) -> None:
    """Give the steps whose outcome a condition reads the outcomes that it tells apart."""
    for route in routes:
        for leaf in leaves(route.condition) if route.condition else ():
            if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally):
                pair = next((pair for pair in OUTCOMES if leaf.right.value in pair), ())
                for draft in drafts:
                    if leaf.left.root == "steps" and leaf.left.node == draft.id and not draft.outcomes:
                        draft.outcomes = pair
