"""Makes operations of what was entered in their forms: names become marks, texts conditions and formulas."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from compiler.decisions.anchoring import Anchoring
from compiler.decisions.correct_draft import rule_text
from compiler.decisions.elements import edge_id
from compiler.decisions.perform import condition_text, row_text
from compiler.decisions.texts import condition_of, formula_of, marked, names_of, read_by
from compiler.decisions.unfit import UnfitError
from ir.decisions.anchor import Mark
from ir.formulas.infix import to_formula
from ir.infix import to_infix
from ir.procedure import Flow, Result
from ir.workflow import Rule
from review.draft import ReviewDraft
from review.queue import Item
from review.wording import check_condition, duration_of

_SEPARATED = re.compile(r"\s*[,，、;；\n]\s*")


@dataclass(frozen=True)
class Entry:
    """What was entered for one operation."""

    draft: ReviewDraft
    item: Item
    do: str
    values: Mapping[str, str]

    def raw(self) -> dict[str, Any]:
        """The operation as its form takes it."""
        do, _, part = self.do.partition(".")
        make = {
            "change_step": self._change_step, "set_deadline": self._set_deadline, "move_step": self._move_step,
            "add_step": self._add_step, "add_edge": self._add_edge, "change_edge": self._change_edge,
            "remove_edge": self._remove_edge, "set_condition": self._set_condition, "change_fact": self._change_fact,
            "add_fact": self._add_fact, "set_row": self._set_row, "set_rule": self._set_rule,
            "place_text": self._place_text, "map_type": self._map_type, "bind_input": self._bind_input,
            "set_policy": self._set_policy, "set_title": self._set_title,
        }.get(do)  # fmt: skip
        if make is None:  # remove_step, remove_fact
            return {"do": do, self.item.subject: self._mark(self.item.subject, self.item.id)}
        return {"do": do, **make(part)}

    # --- parts of a procedure ---------------------------------------------------------------------------------------

    def _change_step(self, field: str) -> dict[str, Any]:
        step = self.draft.procedure.step(self.item.id)
        value: JsonValue = self.values["value"] or None
        if field == "outcomes":
            value = list(_listed(self.values["value"]))
        return {"step": self._mark("step", step.id), "field": field, "value": value,
                "was": step.model_dump(mode="json")[field]}  # fmt: skip

    def _set_deadline(self, _: str) -> dict[str, Any]:
        step = self.draft.procedure.step(self.item.id)
        was = step.deadline.duration if step.deadline else None
        entered = self.values["duration"]
        length = duration_of("duration", entered) if entered else None
        return {"step": self._mark("step", step.id), "duration": length,
                "from": self.values["from"] or None, "was": was}  # fmt: skip

    def _move_step(self, _: str) -> dict[str, Any]:
        return {"step": self._mark("step", self.item.id), "after": self._mark("step", self.values["after"])}

    def _add_step(self, _: str) -> dict[str, Any]:
        made: dict[str, Any] = {name: self.values[name] for name in ("id", "text", "kind")}
        made |= {"actor": self.values["actor"] or None, "after": self._mark("step", self.values["after"])}
        made["condition"], made["names"] = self._condition("condition")
        own = self._mark(self.item.subject, self.item.id) if self.item.subject == "text" else None
        quote = own.anchor if own is not None else self._words() if self.item.subject != "step" else None
        return {**made, "quote": quote, "places": own}

    def _add_edge(self, _: str) -> dict[str, Any]:
        text, names = self._condition("condition")
        return {"from": self._mark("step", self.values["from"]), "to": self._mark("step", self.values["to"]),
                "condition": text, "names": names, "ends": self.values["ends"] or None}  # fmt: skip

    def _change_edge(self, field: str) -> dict[str, Any]:
        flow, made = self._flow(), self._remove_edge("")
        value: JsonValue = self.values["value"] or None
        names: tuple[Mark, ...] = ()
        was: JsonValue = flow.model_dump(mode="json", by_alias=True).get(field)
        if field == "condition":
            value, names = self._condition("value")
            was = condition_text(self.draft.procedure, flow)
        elif field == "to":
            names = (self._mark("step", self.values["value"]),)
        elif field == "priority" and value is not None:
            value = _read_json("value", self.values["value"])
        return {**made, "field": field, "value": value, "names": names, "was": was}

    def _remove_edge(self, _: str) -> dict[str, Any]:
        flow = self._flow()
        return {"edge": self._mark("edge", edge_id(flow)), "from": self._mark("step", flow.source),
                "to": self._mark("step", flow.target)}  # fmt: skip

    def _set_condition(self, _: str) -> dict[str, Any]:
        text, names = self._condition("text")
        form = self.draft.elements[self.item.subject, self.item.id].form
        tree = getattr(form, "predicate", None)
        return {"on": self._mark(self.item.subject, self.item.id), "text": text, "names": names,
                "was": to_infix(tree) if tree is not None else None}  # fmt: skip

    def _change_fact(self, field: str) -> dict[str, Any]:
        form = self.draft.elements["fact", self.item.id].form
        value: JsonValue = self.values["value"] or None
        if field == "required":
            value = self.values["value"] == "true"
        elif field == "enum" and value is not None:
            value = _enum(self.values["value"])
        was = form.model_dump(mode="json")[field] if form is not None else None
        return {"fact": self._mark("fact", self.item.id), "field": field, "value": value, "was": was}

    def _add_fact(self, _: str) -> dict[str, Any]:
        enum = _enum(self.values["enum"]) if self.values["enum"] else None
        return {**{name: self.values[name] for name in ("id", "name", "type")}, "unit": self.values["unit"] or None,
                "enum": enum, "quote": self._words()}  # fmt: skip

    def _set_row(self, _: str) -> dict[str, Any]:
        result = self.draft.elements["result", self.item.id].form
        assert isinstance(result, Result)
        number = int(self.values["row"])
        condition, names = self._condition("condition")
        formula = None
        if self.values["formula"]:
            tree = formula_of("formula", self.values["formula"], names_of(self.draft.procedure))
            formula = to_formula(tree)
            names = (*names, *marked(self.draft.procedure, self.draft.anchoring, read_by(tree)))
        row = result.rows[number] if number < len(result.rows) else None
        return {"result": self._mark("result", result.id), "row": number, "formula": formula, "condition": condition,
                "names": tuple(dict.fromkeys(names)), "was": row_text(row)}  # fmt: skip

    def _place_text(self, _: str) -> dict[str, Any]:
        kind, _, name = self.values["at"].partition(":")
        return {"text": self._mark("text", self.item.id), "at": self._mark(kind, name)}

    # --- parts of a draft -------------------------------------------------------------------------------------------

    def _map_type(self, _: str) -> dict[str, Any]:
        return {"step": self._mark("step", self.item.id), "type": self.values["type"] or None}

    def _bind_input(self, _: str) -> dict[str, Any]:
        made: dict[str, Any] = {"step": self._mark("step", self.item.id), "input": self.values["input"]}
        if self.values["literal"]:
            made["literal"] = _read_json("literal", self.values["literal"])
        if bool(self.values["literal"]) == bool(self.values["source"]):
            raise UnfitError("source", "give a source or a literal, and one of them alone")
        kind, _, name = self.values["source"].partition(":")
        if kind == "input":
            made["given"] = name
        elif kind == "step":
            step, _, output = name.partition(":")
            made |= {"step_of": self._mark("step", step), "output": output}
        return made

    def _set_rule(self, _: str) -> dict[str, Any]:
        outcome = _read_json("outcome", self.values["outcome"])
        text = self.values["condition"]
        step_id, rule = self.item.id, None
        if self.item.subject == "rule":
            pack = self.item.id.rpartition("/")[0]
            own = [one for one in self.draft.workflow.nodes.values() if one.rule_pack == pack and one.step_ids]
            if not own:
                raise UnfitError("rule", f"no step applies {pack}; correct the table that it was read from")
            step_id = own[0].step_ids[0]
            held = rule_of(self.draft, self.item.id)
            rule = Mark(kind="rule", id=self.item.id, name=self.item.title, anchor=self._words())
            was = rule_text(held) if held is not None else None
        else:
            was = None
        node = next(one for one in self.draft.workflow.nodes.values() if step_id in one.step_ids)
        names = {name: f"$.inputs.{name}" for name in node.inputs}
        condition = to_infix(condition_of("condition", text, names)) if text else None
        return {"step": self._mark("step", step_id), "rule": rule, "condition": condition, "outcome": outcome,
                "was": was}  # fmt: skip

    def _set_title(self, _: str) -> dict[str, Any]:
        return {"value": self.values["value"], "was": self.draft.procedure.title}

    def _set_policy(self, _: str) -> dict[str, Any]:
        value: JsonValue = self.values["value"]
        if self.values["field"] != "risk_level":
            value = _read_json("value", self.values["value"])
        return {"field": self.values["field"], "value": value}

    # --- what all of them need --------------------------------------------------------------------------------------

    def _mark(self, kind: str, name: str) -> Mark:
        element = self.draft.elements.get((kind, name))
        if element is None:
            return Mark(kind="step", id=name)  # start or end
        return element.mark(self.draft.anchoring)

    def _words(self) -> Any:
        """The anchor of the words that the item rests on; None where it rests on none."""
        anchoring: Anchoring = self.draft.anchoring
        for quote, block in self.item.words:
            text = self.draft.document.text_at(block or "") or ""
            start = text.find(quote)
            if block is not None and start >= 0:
                return anchoring.anchor(self.draft.document.span(block, start, start + len(quote)))
        return None

    def _condition(self, field: str) -> tuple[str | None, tuple[Mark, ...]]:
        """The condition that was entered, with full references, and marks of what it names."""
        text = self.values[field]
        if not text or text == "otherwise":
            return text or None, ()
        tree = condition_of(field, text, names_of(self.draft.procedure))
        check_condition(field, tree, self.draft.procedure, self.draft.workflow)
        return to_infix(tree), marked(self.draft.procedure, self.draft.anchoring, read_by(tree))

    def _flow(self) -> Flow:
        form = self.draft.elements["edge", self.item.id].form
        assert isinstance(form, Flow)
        return form


def rule_of(draft: ReviewDraft, rule_id: str) -> Rule | None:
    """The row of a rule pack by `PACK/RULE`; None where there is none."""
    return next((rule for _, pack, rule in draft.page.rules if f"{pack}/{rule.rule_id}" == rule_id), None)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in _SEPARATED.split(text.strip()) if part)


def _enum(text: str) -> list[JsonValue]:
    return [int(one) if re.fullmatch(r"-?\d+", one) else one for one in _listed(text)]


def _read_json(field: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = f'column {error.colno}: {error.msg}; write a number, true, false, "text" or {{"name": value}}'
        raise UnfitError(field, message) from None
