"""Sixty decisions of all kinds on a draft, chosen without looking at what will change."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from ir.decisions.decision import Decision, DecisionKind
from ir.decisions.operation import AnyOperation
from review.decide import new_decision
from review.draft import ReviewDraft
from review.errors import Refused
from review.forms import forms_of, kinds_of, operation_from
from review.queue import Item, queue

WANTED = 60
_ENTERED = {
    "change_step.actor": {"value": "专项工作组"},
    "change_step.recipient": {"value": "监督科"},
    "set_deadline": {"duration": "P9D"},
    "change_fact.unit": {"value": "件"},
    "change_fact.required": {"value": "false"},
    "set_condition": {},
    "add_step": {"text": "登记台账", "kind": "record", "actor": "档案员"},
    "map_type": {"type": ""},
    "place_text": {},
}
"""What is entered in the forms that are used; of the others what stands there."""


def decisions_on(draft: ReviewDraft, wanted: int = WANTED) -> tuple[Decision, ...]:
    """Decisions on as many different items, the paragraphs and the sorts of items taking turns."""
    made = (_decision(draft, item, turn) for turn, item in enumerate(_in_turns(queue(draft))))
    return tuple(islice(made, wanted))


def _in_turns(items: tuple[Item, ...]) -> Iterator[Item]:
    """One item of each paragraph in turn; of one paragraph first those of a sort that was taken least."""
    waiting: dict[str | None, list[Item]] = {}
    for item in items:
        waiting.setdefault(item.words[0][1] if item.words else None, []).append(item)
    taken: Counter[str] = Counter()
    while waiting:
        for block in list(waiting):
            item = min(waiting[block], key=lambda one: taken[one.subject])
            taken[item.subject] += 1
            waiting[block].remove(item)
            if not waiting[block]:
                del waiting[block]
            yield item


def _decision(draft: ReviewDraft, item: Item, turn: int) -> Decision:
    """A correction where a form can be filled in and it is its turn, else one of the plain kinds."""
    if turn % 2 == 0 and (operation := _operation(draft, item, turn)) is not None:
        return new_decision(draft, item, "correct", author="审核人", reason="按实际分工", value=operation)
    kinds: tuple[DecisionKind, ...] = kinds_of(item)
    kind = kinds[turn % len(kinds)]
    words = "由归口部门按年度通知执行" if kind == "answer" else None
    return new_decision(draft, item, kind, author="审核人", reason="已核对", value=words)


def _operation(draft: ReviewDraft, item: Item, turn: int) -> AnyOperation | None:
    forms = [one for one in forms_of(draft, item) if one.do in _ENTERED]
    for number in range(len(forms)):
        form = forms[(turn // 2 + number) % len(forms)]
        entered = {field.name: field.value or (field.choices[-1][0] if field.choices else "") for field in form.fields}
        entered |= {"id": f"p{turn}"} if form.do == "add_step" else {}
        try:
            return operation_from(draft, item, form.do, entered | _ENTERED[form.do])
        except Refused:
            continue
    return None
