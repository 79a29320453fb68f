"""Asks a language model for the outputs of a node.

    [executors."document.classify"]
    kind = "model"
    model = "qwen2.5-14b-instruct"
    base_url = "http://localhost:8000/v1"
    api_key = "MODEL_KEY"                    # an environment variable; left out where the endpoint needs none
    prompt = "Which of {{classes}} is this?\\n{{document_text}}"
    max_cost = 5.0                           # US dollars, of this process

The form of the answer is what the Type gives; temperature is 0. Only Types that say that they are not deterministic can
be bound to a model, since it is by this that the validator keeps what a model gives from choosing an edge. Asking
changes nothing, so that no failure makes a person say what became of it.
"""

import hashlib
import json
import threading
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import Field, JsonValue

from catalog.node_type import NodeType
from ir.base import canonical_json
from ir.errors import BadSetting
from llm import Model, ModelChoice, ModelFault, Request, open_model
from llm.budget import Budget
from llm.limits import Limits
from llm.options import read_options
from llm.prices import load_prices
from llm.recording import ANSWERS, Recording
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.giving import evidence
from runtime.executors.http import Url
from runtime.executors.model_form import asked_fields, form_of, unaskable
from runtime.executors.settings import Settings, secret, settings_of, settled
from runtime.executors.texts import Text, TextSetting, filled, value_of

SENDINGS = 3
"""Of one question: a malformed answer is sent back twice; each may take that part of the time that a node has."""
_KEPT = "kept"


class ModelSettings(Settings):
    """What the executor is told.

    Args:
        model, base_url, model_options: as for `flowc compile`.
        api_key: the environment variable that holds the key.
        prompt, system: what is said to the model; may hold `{{input}}`, lists and objects as JSON.
        evidence: parts of the output `evidence`; may hold `{{input}}`.
        max_tokens: most that may be received.
        max_cost: US dollars that this executor may spend in a process; it needs a price.
        prices: a file of prices.
        kept: the folder in which answers are kept.
    """

    model: str = Field(min_length=1)
    base_url: Url
    api_key: str | None = None
    prompt: TextSetting = Field(min_length=1)
    system: TextSetting = ""
    evidence: dict[str, TextSetting] = {}
    model_options: str | None = None
    max_tokens: int = Field(default=4000, ge=1)
    max_cost: float | None = Field(default=None, gt=0)
    prices: str | None = None
    kept: str = ""


class ModelExecutor:
    """Asks models."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[str, Model] = {}
        self._budgets: dict[str, Budget] = {}

    def settle_for(self, settings: Mapping[str, Any], root: Path, node_type: NodeType | None) -> Mapping[str, Any]:
        """See `SettlingByType`."""
        found = settled(ModelSettings, {_KEPT: ".flowc/models", **settings}, root, ("prices", _KEPT))
        told = ModelSettings.model_validate(found)
        if node_type is None:
            raise ValueError("the catalog here has no such Type, and its outputs are the form of the answer")
        if node_type.capabilities.deterministic:
            raise ValueError(
                f"{node_type.type} says that it is deterministic, so that what it gives may choose an edge, which a "
                "model's word may not; bind a Type with deterministic: false"
            )
        wanted = asked_fields(node_type.outputs_schema)
        if not wanted:
            raise ValueError(f"{node_type.type} gives nothing that a model could be asked for")
        names = [*unaskable(wanted)]
        if names:
            raise ValueError(f"no form can hold the output {', '.join(names)}; call it otherwise in the Type")
        texts = (told.prompt, told.system, *told.evidence.values())
        used = {name.split(".")[0] for text in texts for name in Text(text).get_identifiers()}
        unknown = sorted(used - set(node_type.inputs_schema))
        if unknown:
            raise ValueError(f"{{{{{unknown[0]}}}}} is no input of {node_type.type}")
        try:
            read_options(told.model_options)
            _budget(told)
        except BadSetting as error:
            raise ValueError(str(error.args[0])) from error
        return found

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(ModelSettings, call)
        messages = tuple(
            (role, _said(text, call.inputs)) for role, text in (("system", told.system), ("user", told.prompt)) if text
        )
        wanted = asked_fields(call.outputs)
        about = {name: filled(text, call.inputs) for name, text in told.evidence.items()}
        name = canonical_json({**told.to_json(), "timeout": call.timeout})
        request = Request("step", call.type, messages, form_of(wanted), told.max_tokens, self._account(told))
        model, kept = self._model(name, told, call.timeout), Path(told.kept)
        _note_kept(kept, call.execution, Recording(kept / ANSWERS).file_of(request, model.name))
        try:
            reply = model.answer(request)
        except ModelFault as fault:
            with self._lock:
                self._models.pop(name, None)  # it keeps that nobody was there; the next call looks again
            raise _fault(told, fault) from fault
        found = cast("dict[str, JsonValue]", reply.value.model_dump(mode="json"))
        outputs = {one: value for one, value in found.items() if value is not None or wanted[one].nullable}
        system = {"system": told.model, "query_ref": call.key}
        return {**outputs, **evidence(call.outputs, {**system, **about}, "model")}

    def forget(self, settings: Mapping[str, Any], executions: Collection[str]) -> None:
        """See `Keeping`: the answers that runs were given, whoever else was given the same."""
        kept = Path(settings[_KEPT])
        for listed in (_kept_of(kept, one) for one in executions):
            for name in listed.read_text("utf-8").split() if listed.is_file() else ():
                (kept / ANSWERS / name).unlink(missing_ok=True)
            listed.unlink(missing_ok=True)

    def _account(self, told: ModelSettings) -> Budget:
        """What these settings have spent in this process, whichever node asked."""
        name = canonical_json(told.to_json())
        with self._lock:
            if name not in self._budgets:
                self._budgets[name] = _budget(told)
            return self._budgets[name]

    def _model(self, name: str, told: ModelSettings, timeout: float) -> Model:
        key = secret(told.api_key) if told.api_key is not None else "none"
        with self._lock:
            if name not in self._models:
                choice = ModelChoice(
                    name=told.model, base_url=told.base_url, api_key=key, kept=Path(told.kept),
                    options=told.model_options, limits=Limits(attempts=1, timeout=timeout / SENDINGS),
                )  # fmt: skip
                try:
                    self._models[name] = open_model(choice).model
                except BadSetting as error:
                    raise ExecutorFault("BAD_SETTING", str(error.args[0]), made=False) from error
            return self._models[name]


def _kept_of(kept: Path, execution: str) -> Path:
    """The list of the answers that were kept of a run."""
    return kept / "runs" / hashlib.sha256(execution.encode()).hexdigest()


def _note_kept(kept: Path, execution: str, answer: Path) -> None:
    """Note whose an answer is, before there is one, so that none is left when the run's values are deleted.

    Raises:
        ExecutorFault: it cannot be noted.
    """
    listed = _kept_of(kept, execution)
    try:
        listed.parent.mkdir(parents=True, exist_ok=True)
        with listed.open("a", encoding="utf-8") as out:
            out.write(f"{answer.name}\n")
    except OSError as error:
        raise ExecutorFault("NOT_WRITTEN", f"{listed}: {error}", made=False) from error


def _budget(told: ModelSettings) -> Budget:
    prices = load_prices(Path(told.prices) if told.prices is not None else None)
    return Budget(told.max_cost, prices.price(told.model))


def _said(text: str, inputs: Mapping[str, JsonValue]) -> str:
    """A text with its inputs, lists and objects as JSON."""

    def value(name: str) -> str:
        found: JsonValue = dict(inputs)
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if isinstance(found, list | dict) and found:
            return json.dumps(found, ensure_ascii=False)
        return value_of(name, inputs)

    return Text(text).substitute({name: value(name) for name in Text(text).get_identifiers()})


def _fault(told: ModelSettings, fault: ModelFault) -> ExecutorFault:
    """What a model's failure is to a run."""
    message = f"{told.model}: {fault}"[:500]
    match fault.kind:
        case "unreachable" | "refused" if fault.status is not None:
            return ExecutorFault(f"HTTP_{fault.status}", message, passing=fault.kind == "unreachable", made=False)
        case "unreachable":
            return ExecutorFault("NO_ANSWER", message, passing=True, made=False)
        case "open":
            return ExecutorFault("SYSTEM_UNAVAILABLE", message, passing=True, made=False)
        case "spent":
            return ExecutorFault("BUDGET_SPENT", message, made=False)
        case "refused":
            return ExecutorFault("MODEL_REFUSED", message, made=False)
        case _:
            return ExecutorFault("BAD_OUTPUT", message, made=False)
