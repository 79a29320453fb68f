"""Finds what people decided about earlier readings in this one, and carries out what they decided about procedures.

A decision whose words say something else now, or whose element is not as it was, changes nothing: it is told, and what
it would have changed is asked about.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

from compiler.context import Context
from compiler.decisions.anchoring import Anchored, Anchoring
from compiler.decisions.decided import Decided, DecisionFate, Drafted
from compiler.decisions.elements import OF_WORDS, Resolved, resolve
from compiler.decisions.fitting import faults_of
from compiler.decisions.perform import perform
from compiler.decisions.texts import renamed_condition, renamed_formula
from compiler.decisions.unfit import UnfitError
from compiler.text.lexicon import lexicon
from ir.decisions.anchor import Anchor, Mark, plain
from ir.decisions.decision import RULING, Decision, in_force
from ir.decisions.operation import (
    AddEdge,
    AddStep,
    AnyOperation,
    BindInput,
    ChangeEdge,
    MapType,
    RemoveEdge,
    SetCondition,
    SetPolicy,
    SetRow,
    SetRule,
    marks_of,
)
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.procedure import Gap, Procedure
from ir.source import Evidence, Span

_STATES = ("unchanged", "moved", "drifted", "orphaned")
_SHORT = 120
_STOPS = 8
"""How many places in a course of decisions are kept to go on from."""
_Taken = tuple[Decision, bool]


def apply_decisions(ctx: Context, procedures: tuple[Procedure, ...], document: Document) -> Decided:
    """The procedures of a document after all that was decided about it, each decision with what became of it."""
    own = [one for one in in_force(ctx.decisions) if one.document == document.doc_id]
    if not own:
        return Decided(procedures, procedures)
    taken = [(one, any(replaces(later, one) for later in own[at:])) for at, one in enumerate(own, 1)]
    state = _course(procedures, document).after(taken)
    for found in state.findings:
        ctx.report(found)
    drafted = {name: tuple(listed) for name, listed in state.drafted.items()}
    return Decided(procedures, tuple(state.procedures.values()), tuple(state.holding), drafted, tuple(state.fates))


def fate_of(decision: Decision, procedure: Procedure, anchoring: Anchoring, *, replaced: bool) -> DecisionFate:
    """What becomes of a ruling or a comment on a procedure as it is drafted.

    Args:
        anchoring: in its document.
        replaced: a later decision took its place.
    """
    state = _Applying(anchoring, {procedure.id: procedure})
    state.take(decision, replaced=replaced)
    return state.fates[0]


def replaces(later: Decision, one: Decision) -> bool:
    """Whether a later decision on the same element takes the place of one: a correction also that of a rejection."""
    rules = later.kind in RULING or (later.kind == "correct" and one.kind == "reject")
    return one.kind in RULING and rules and later.is_about(one)


@dataclass
class _Applying:
    """The procedures of a document while decisions are carried out, one after the other."""

    anchoring: Anchoring
    procedures: dict[str, Procedure]
    holding: list[Decision] = field(default_factory=list)
    drafted: dict[str, list[Drafted]] = field(default_factory=dict)
    fates: list[DecisionFate] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)

    def copy(self) -> "_Applying":
        """The same, from which it can be gone on by itself."""
        drafted = {name: [*listed] for name, listed in self.drafted.items()}
        return _Applying(
            self.anchoring, dict(self.procedures), [*self.holding], drafted, [*self.fates], [*self.findings]
        )  # fmt: skip

    @property
    def document(self) -> Document:
        """That the procedures were read from."""
        return self.anchoring.document

    def take(self, decision: Decision, *, replaced: bool) -> None:
        """Carry one decision out, or say why it is not."""
        resolved = self._resolved(decision)
        worst = max(resolved.values(), key=lambda one: _STATES.index(one.anchored.state))
        anchored = worst.anchored
        subject = resolved.get(decision.mark, worst)
        fate = DecisionFate(
            id=decision.id, state=anchored.state, score=anchored.score, procedure=subject.procedure, element=subject.id,
            block=anchored.span.block if anchored.span else None, was=anchored.before, now=anchored.after,
        )  # fmt: skip
        if anchored.holds:
            fate = fate.model_copy(update={"words": getattr(self._now(decision, anchored).anchor, "text", None)})
        if replaced:
            self.fates.append(fate.model_copy(update={"message": "a later decision took its place"}))
        elif not anchored.holds:
            said = self._drift(decision, anchored)
            drifted = anchored.state == "drifted"
            self._trouble(decision, fate, anchored.span, "drifted-decision" if drifted else "orphaned-decision", said)
        else:
            self._carry_out(decision, resolved, fate, anchored)

    def _resolved(self, decision: Decision) -> dict[Mark, Resolved]:
        """What each mark means that the decision rests on."""
        marks = _marks(decision)
        found = {mark: resolve(mark, self.procedures.values(), self.anchoring, decision.procedure) for mark in marks}
        for quote in _quotes(decision):
            mark = Mark(kind="statement", id="", anchor=quote)
            found[mark] = resolve(mark, (), self.anchoring)
        return found

    def _carry_out(
        self, decision: Decision, resolved: Mapping[Mark, Resolved], fate: DecisionFate, anchored: Anchored
    ) -> None:  # fmt: skip
        self.holding.append(self._now(decision, anchored))
        operation = decision.value
        try:
            if operation is not None and not isinstance(operation, str):
                self._operate(decision, operation, resolved)
            elif decision.kind == "reject":
                self._ask(fate.procedure, "rejected", "r", decision, fate.element, anchored.span)
        except UnfitError as error:
            self.holding.pop()
            at_fault = fate.model_copy(update={"field": error.field or None})
            self._trouble(decision, at_fault, anchored.span, error.code, error.message)
        else:
            self.fates.append(fate.model_copy(update={"applied": decision.kind != "comment"}))

    def _operate(self, decision: Decision, operation: AnyOperation, resolved: Mapping[Mark, Resolved]) -> None:
        homes = {one.procedure for mark, one in resolved.items() if one.procedure and mark.kind not in OF_WORDS}
        homes = homes or {decision.procedure or ""}
        if len(homes) > 1:
            message = f"what it speaks of is in several procedures now ({', '.join(sorted(homes))}); decide anew"
            raise UnfitError("", message)
        home = self.procedures.get(homes.pop())
        if home is None:
            raise UnfitError("", f"its procedure {decision.procedure!r} is not there any more; decide anew, or undo it")
        named = _renamed(operation, {mark: one.id for mark, one in resolved.items() if one.id})
        if isinstance(named, MapType | BindInput | SetRule | SetPolicy):
            self.drafted.setdefault(home.id, []).append(Drafted(decision, named))
            return
        quotes = {
            mark.anchor: Evidence.from_span(one.anchored.span)
            for mark, one in resolved.items()
            if mark.anchor is not None and one.anchored.span is not None
        }
        changed = perform(home, named, quotes)
        before = set(faults_of(home))
        if broken := [one for one in faults_of(changed) if one not in before]:
            raise UnfitError("", "; ".join(broken))
        self.procedures[home.id] = changed

    def _now(self, decision: Decision, anchored: Anchored) -> Decision:
        """A decision with its words as they stand in the document now."""
        anchor = decision.anchor
        if anchor is None or anchored.span is None or decision.kind == "correct":
            return decision
        found = self.anchoring.find(anchor)
        now = self.anchoring.anchor(found.span or anchored.span)
        whole = anchor.within is not None and plain(anchor.within) == plain(anchor.text)
        now = now.model_copy(update={"text": now.within if whole else now.text})
        return decision.model_copy(update={"anchor": now})

    # --- what is told and asked ---------------------------------------------------------------------------------------

    def _trouble(self, decision: Decision, fate: DecisionFate, span: Span | None, code: str, message: str) -> None:
        self.fates.append(fate.model_copy(update={"code": code, "message": message}))
        if decision.kind == "comment":
            return
        self.findings.append(_finding(self.document, decision, span, code, message))
        if code in ("drifted-decision", "contradicted-decision") and decision.kind in ("correct", "declare", "reject"):
            self._ask(fate.procedure, code.partition("-")[0], "d", decision, fate.element, span)

    def _drift(self, decision: Decision, anchored: Anchored) -> str:
        if anchored.several:
            return f'the words "{_short(_words(decision))}" stand in several places now; decide anew, or undo it'
        if anchored.state == "orphaned":
            gone = "nothing is read of its words any more" if anchored.span else "it is not there any more"
            return f'{gone}: "{_short(_words(decision))}"; undo it, or decide anew on what stands there now'
        old, new = _short(anchored.before), _short(anchored.after)
        return f'it was decided on "{old}", and the document says "{new}" now; decide anew, or undo it'

    def _ask(
        self, home: str | None, key: str, letter: str, decision: Decision, element: str | None, span: Span | None
    ) -> None:  # fmt: skip
        """A question about a decision that the draft does not go by."""
        procedure = self.procedures.get(home or decision.procedure or "") or next(iter(self.procedures.values()), None)
        if procedure is None:
            return
        taken, number = {gap.id for gap in procedure.gaps}, 1
        while f"{letter}{number}" in taken:
            number += 1
        text = str(lexicon(self.document.language).table("questions")[f"decision_{key}"])
        now = self.anchoring.anchor(span).within if span else ""
        question = text.format(
            words=_short(_words(decision)), now=_short(now or ""), author=decision.author, reason=decision.reason
        )
        evidence = (Evidence.from_span(span),) if span else ()
        gap = Gap(
            id=f"{letter}{number}", kind="conflict", question=question, about=(element,) if element else (),
            evidence=evidence,
        )  # fmt: skip
        self.procedures[procedure.id] = procedure.model_copy(update={"gaps": (*procedure.gaps, gap)})


class _Course:
    """Decisions on the procedures of a document as they were carried out last, to go on from where others begin."""

    def __init__(self, procedures: tuple[Procedure, ...], document: Document) -> None:
        self._begin = _Applying(Anchoring(document), {one.id: one for one in procedures})
        self._stops: deque[tuple[tuple[_Taken, ...], _Applying]] = deque(maxlen=_STOPS)
        self._lock = Lock()

    def after(self, taken: Sequence[_Taken]) -> _Applying:
        """How things stand after decisions, of each with whether a later one takes its place."""
        with self._lock:
            known = [(done, stop) for done, stop in self._stops if list(done) == list(taken[: len(done)])]
            done, stop = max(known, key=lambda one: len(one[0]), default=((), self._begin))
            state = stop.copy()
            for number, (decision, replaced) in enumerate(taken[len(done) :], len(done) + 1):
                state.take(decision, replaced=replaced)
                if number > len(taken) - _STOPS // 2:
                    self._stops.append((tuple(taken[:number]), state.copy()))
            return state


@lru_cache(maxsize=8)
def _course(procedures: tuple[Procedure, ...], document: Document) -> _Course:
    """The course of decisions on what was read of a document."""
    return _Course(procedures, document)


def _marks(decision: Decision) -> Iterator[Mark]:
    """What a decision rests on: of a correction what its operation names, a way without words by its ends."""
    operation = decision.value
    if operation is None or isinstance(operation, str):
        yield decision.mark
        return
    ends = isinstance(operation, ChangeEdge | RemoveEdge)
    own = [one for one in marks_of(operation) if not (ends and one.kind == "edge" and one.anchor is None)]
    yield from own or [Mark(kind="workflow", id=decision.element or "")]


def _quotes(decision: Decision) -> Iterator[Anchor]:
    quote = getattr(decision.value, "quote", None)
    if isinstance(quote, Anchor):
        yield quote


def _renamed(operation: AnyOperation, ids: Mapping[Mark, str]) -> AnyOperation:
    """The operation with the ids that things have now, in its marks and in its texts."""
    update: dict[str, object] = {}
    for name in type(operation).model_fields:
        value = getattr(operation, name)
        if isinstance(value, Mark):
            update[name] = value.model_copy(update={"id": ids.get(value, value.id)})
    named = {(mark.kind, mark.id): ids[mark] for mark in getattr(operation, "names", ()) if mark in ids}

    def text(words: str | None) -> str | None:
        return words if words in (None, "otherwise") else renamed_condition(str(words), named)

    match operation:
        case SetCondition(text=said, was=was):
            update |= {"text": text(said), "was": text(was)}
        case AddStep(condition=said) | AddEdge(condition=said):
            update["condition"] = text(said)
        case ChangeEdge(field="condition", value=str() | None as said, was=str() | None as was):
            update |= {"value": text(said), "was": text(was)}
        case ChangeEdge(field="to", was=str() as was):
            update["value"] = next(iter(named.values()), operation.value)
            update["was"] = ids.get(operation.target, was)
        case SetRow(formula=formula, condition=said, was=before):
            update |= {"formula": formula and renamed_formula(formula, named), "condition": text(said)}
            if before is not None:
                was = before.formula and renamed_formula(before.formula, named)
                update["was"] = before.model_copy(update={"formula": was, "condition": text(before.condition)})
    return operation.model_copy(update=update)


def _finding(document: Document, decision: Decision, span: Span | None, code: str, message: str) -> Diagnostic:
    who = f"{decision.kind} of the {decision.subject} {decision.element or ''}".rstrip()
    return Diagnostic(
        error_code=code,
        severity=Severity.WARNING,
        message=f"{who} by {decision.author} on {decision.time[:10]} ({decision.id}): {message}",
        location=Location(file=document.doc_id, block=span.block if span else None),
        found=span.quote if span else None,
        expected=decision.anchor.text if decision.anchor else None,
    )


def _words(decision: Decision) -> str:
    return decision.anchor.text if decision.anchor else decision.name or decision.element or ""


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
