"""Older and looser ways to write a workflow, turned into the one that is stored; each with a warning.

What must not be in a workflow at all (control flow in a node, prompts, code) is named as such here, where the form
alone would only call it an unknown key.
"""

from collections.abc import Callable, Iterable

from pydantic import JsonValue

from ir.diagnostics import Diagnostic, Fix, Severity
from ir.faults import fault, pointer_to, shown
from ir.formula import expression_json
from ir.formulas.infix import parse_formula
from ir.infix import InfixError, parse_infix
from ir.predicate import REFERENCE, condition_json
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK

Resolve = Callable[[str], str | None]
Json = dict[str, JsonValue]
Path = tuple[str | int, ...]

OLD_TYPE_NAMES = {
    "human_input": HUMAN_INPUT,
    "human_approval": HUMAN_APPROVAL,
    "human_task": HUMAN_TASK,
    "control_end": CONTROL_END,
}
"""Type names of the language itself as older forms have them; those of the catalog are aliases there."""

_POLICY_KEYS = ("risk_level", "idempotent", "requires_allowlist")


def _keys(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CONTROL_FLOW = _keys(
    "logic if else elif then next next_node next_step goto jump branch branches switch case cases choice choices loop "
    "while for for_each foreach repeat until retry retries on_error on_failure on_success catch try terminate when "
    "condition conditions transitions ask_human call_human escalate add_node add_edge"
)
_PROMPTS = _keys("prompt prompts prompt_template system_prompt user_prompt system_message messages few_shot llm")
_CODE = _keys(
    "code source_code script scripts python javascript js shell bash command sql lambda eval exec expression function "
    "algorithm"
)
_UNWANTED = (
    (_CONTROL_FLOW, "control-flow-in-node", "control flow, which only edges may hold"),
    (_PROMPTS, "prompt-in-workflow", "prompt logic, which has no place in a workflow"),
    (_CODE, "code-in-workflow", "code, which has no place in a workflow"),
)
_INSTEAD = {
    "control-flow-in-node": "edges with conditions; retries and time limits in the policy",
    "prompt-in-workflow": "a Node Type whose executor holds it",
    "code-in-workflow": "a Node Type whose executor holds it",
}


def unresolved(name: str) -> str | None:
    """The resolver that knows no aliases."""
    return None


def normalise(raw: JsonValue, resolve: Resolve = unresolved) -> tuple[JsonValue, tuple[Diagnostic, ...]]:
    """The stored form of a workflow that may be written in an older one.

    Accepted with a warning: nodes as a list with ids; aliases of Node Types; `risk_level` in the metadata;
    `risk_level`, `idempotent` and `requires_allowlist` beside a node's policy; `outputs` in a node, which are dropped
    and kept in the diagnostic (see `declared_outputs`). Accepted with a notice: conditions and formulas as infix text.
    Errors are only what can be read in more than one way, and what has no place in a workflow; the keys concerned are
    taken out, so that each is reported once.

    Args:
        raw: any JSON value; what is no workflow is given back as it is.
        resolve: gives the Node Type's name that an alias stands for; None where none or several do.

    >>> value, notes = normalise({"nodes": [{"id": "ask", "type": "human_input"}]})
    >>> value, [note.error_code for note in notes]
    ({'nodes': {'ask': {'type': 'human.input'}}}, ['nodes-as-list', 'type-alias'])
    """
    if not isinstance(raw, dict):
        return raw, ()
    work = _Normaliser(resolve)
    return work.workflow(raw), tuple(work.notes)


def declared_outputs(diagnostics: Iterable[Diagnostic]) -> dict[str, JsonValue]:
    """The outputs that nodes declared and that `normalise` dropped, by node id, to be held against their Types."""
    dropped = [note for note in diagnostics if note.error_code == "outputs-in-node"]
    return {note.location.node: note.found for note in dropped if note.location.node is not None}


class _Normaliser:
    """Rewrites one workflow and keeps what it has to say."""

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        self.notes: list[Diagnostic] = []

    def workflow(self, raw: Json) -> Json:
        """The whole."""
        value = self.purged(raw, (), _PROMPTS | _CODE)
        if "nodes" in value:
            value["nodes"] = self.nodes(value["nodes"])
        edges = value.get("edges")
        if isinstance(edges, list):
            value["edges"] = [self.edge(edge, ("edges", index)) for index, edge in enumerate(edges)]
        guards = value.get("guards")
        if isinstance(guards, list):
            value["guards"] = [self.conditional(guard, ("guards", index)) for index, guard in enumerate(guards)]
        triggers = value.get("triggers")
        if isinstance(triggers, list):
            value["triggers"] = [self.conditional(item, ("triggers", index)) for index, item in enumerate(triggers)]
        packs = value.get("rule_packs")
        if isinstance(packs, dict):
            value["rule_packs"] = {name: self.pack(pack, ("rule_packs", name)) for name, pack in packs.items()}
        for part in ("metadata", "execution_policy"):
            inner = value.get(part)
            if isinstance(inner, dict):
                value[part] = self.purged(inner, (part,), _PROMPTS | _CODE)
        return self.risk(value)

    def nodes(self, nodes: JsonValue) -> JsonValue:
        """The nodes as a map by id."""
        if isinstance(nodes, list):
            nodes = self.keyed(nodes)
        if not isinstance(nodes, dict):
            return nodes
        return {name: self.node(node, name) for name, node in nodes.items()}

    def keyed(self, nodes: list[JsonValue]) -> Json:
        """A list of nodes with ids as a map."""
        self.warn("nodes-as-list", "nodes are a map by id; a list was read as one", ("nodes",), found="array")
        named: Json = {}
        for index, node in enumerate(nodes):
            name = node.get("id") if isinstance(node, dict) else None
            if not isinstance(name, str):
                self.error("node-without-id", "a node in a list has no id", ("nodes", index), expected="id")
            elif name in named:
                self.error("duplicate-node-id", f'two nodes have the id "{name}"', ("nodes", index, "id"), found=name)
            else:
                named[name] = node
        return named

    def node(self, node: JsonValue, name: str) -> JsonValue:
        """One node."""
        if not isinstance(node, dict):
            return node
        path: Path = ("nodes", name)
        value = self.purged(node, path, _CONTROL_FLOW | _PROMPTS | _CODE)
        inner = value.pop("id", name)
        if inner != name:
            message = f'the node "{name}" says that its id is "{inner}"'
            self.error("node-id-mismatch", message, (*path, "id"), expected=name, found=shown(inner))
        if "type" in value:
            value["type"] = self.type_name(value["type"], (*path, "type"))
        if "outputs" in value:
            message = f'the outputs of "{name}" are those of its Node Type; what was written here is dropped'
            self.warn("outputs-in-node", message, (*path, "outputs"), found=value.pop("outputs"))
        return self.policy(value, path)

    def type_name(self, name: JsonValue, path: Path) -> JsonValue:
        """The registered name of a Node Type that may be written by an alias."""
        if not isinstance(name, str):
            return name
        known = OLD_TYPE_NAMES.get(name) or self.resolve(name)
        if known is None or known == name:
            return name
        message = f'the Node Type "{known}" was meant by "{name}"'
        self.warn("type-alias", message, path, expected=known, found=name, put=known)
        return known

    def policy(self, node: Json, path: Path) -> Json:
        """A node with its governance in `policy`."""
        above = {key: node.pop(key) for key in _POLICY_KEYS if key in node}
        policy = node.get("policy", {})
        if not above or not isinstance(policy, dict):
            return {**node, **above}
        merged = dict(policy)
        for key, value in above.items():
            if key in policy and policy[key] != value:
                message = f'"{key}" is {value!r} beside the policy and {policy[key]!r} in it'
                self.error(
                    "policy-disagreement", message, (*path, key), expected=shown(policy[key]), found=shown(value)
                )
            else:
                message = f'"{key}" belongs into the policy of the node'
                self.warn("policy-at-node-top", message, (*path, key), expected=pointer_to((*path, "policy", key)))
                merged[key] = value
        return {**node, "policy": merged}

    def edge(self, edge: JsonValue, path: Path) -> JsonValue:
        """One edge."""
        if not isinstance(edge, dict):
            return edge
        value = self.conditional(self.purged(edge, path, _PROMPTS | _CODE), path)
        if isinstance(value, dict) and "condition" in value and value["condition"] in (None, "always"):
            del value["condition"]
        return value

    def conditional(self, item: JsonValue, path: Path) -> JsonValue:
        """Anything with a condition, which may be written as infix text."""
        if not isinstance(item, dict):
            return item
        text = item.get("condition")
        if not isinstance(text, str) or text in ("always", "otherwise"):
            return item
        where = (*path, "condition")
        try:
            tree = condition_json(parse_infix(text))
        except InfixError as error:
            message = f'the condition "{text}" is malformed: {error}'
            self.error("bad-condition", message, where, expected=error.expected, found=text)
            return {key: value for key, value in item.items() if key != "condition"}
        message = "a condition in text form was read as a tree"
        self.warn("infix-condition", message, where, found=text, put=tree, severity=Severity.INFO)
        return {**item, "condition": tree}

    def pack(self, pack: JsonValue, path: Path) -> JsonValue:
        """A rule pack, whose conditions and formulas may be written as infix text."""
        if not isinstance(pack, dict) or not isinstance(pack.get("rules"), list):
            return pack
        rules = [self.row(rule, (*path, "rules", at)) for at, rule in enumerate(pack["rules"])]  # type: ignore[arg-type]
        return {**pack, "rules": rules}

    def row(self, rule: JsonValue, path: Path) -> JsonValue:
        """A row of a rule pack."""
        rule = self.conditional(rule, path)
        if not isinstance(rule, dict) or not isinstance(rule.get("formulas"), dict):
            return rule
        where = (*path, "formulas")
        read = {name: self.formula(raw, (*where, name)) for name, raw in rule["formulas"].items()}  # type: ignore[union-attr]
        return {**rule, "formulas": {name: formula for name, formula in read.items() if formula is not None}}

    def formula(self, raw: JsonValue, path: Path) -> JsonValue:
        """A formula, which may be written as infix text; None where that is malformed."""
        whole: Json = raw if isinstance(raw, dict) else {"formula": raw}
        text = whole.get("formula")
        if not isinstance(text, str) or REFERENCE.fullmatch(text):
            return whole if isinstance(raw, str) else raw
        path = (*path, "formula") if isinstance(raw, dict) else path
        try:
            tree = expression_json(parse_formula(text))
        except InfixError as error:
            message = f'the formula "{text}" is malformed: {error}'
            self.error("bad-formula", message, path, expected=error.expected, found=text)
            return None
        message = "a formula in text form was read as a tree"
        put: JsonValue = tree if isinstance(raw, dict) else {"formula": tree}
        self.warn("infix-formula", message, path, found=text, put=put, severity=Severity.INFO)
        return {**whole, "formula": tree}

    def risk(self, value: Json) -> Json:
        """The workflow with its risk level in the execution policy alone."""
        metadata, policy = value.get("metadata"), value.get("execution_policy", {})
        if not isinstance(metadata, dict) or "risk_level" not in metadata or not isinstance(policy, dict):
            return value
        level = metadata["risk_level"]
        where, home = ("metadata", "risk_level"), "/execution_policy/risk_level"
        if "risk_level" in policy and policy["risk_level"] != level:
            message = f"the metadata say that the risk is {level!r}, the execution policy {policy['risk_level']!r}"
            self.error("risk-disagreement", message, where, expected=shown(policy["risk_level"]), found=shown(level))
        else:
            self.warn("risk-in-metadata", "the risk level belongs into the execution policy", where, expected=home)
        rest: Json = {key: item for key, item in metadata.items() if key != "risk_level"}
        return {**value, "metadata": rest, "execution_policy": {"risk_level": level, **policy}}

    def purged(self, value: Json, path: Path, unwanted: frozenset[str]) -> Json:
        """A copy without the keys that have no place in a workflow, each reported under its own name."""
        kept: Json = {}
        for key, item in value.items():
            named = key.lower().replace("-", "_")
            if named not in unwanted:
                kept[key] = item
                continue
            code, what = next((code, what) for keys, code, what in _UNWANTED if named in keys)
            message = f'"{key}" is {what}'
            where = pointer_to((*path, key))
            removal = Fix(title=f"remove {key}", patch=({"op": "remove", "path": where},))
            self.add(fault(code, message, where, expected=_INSTEAD[code], found=item, fixes=(removal,)), path)
        return kept

    def warn(
        self,
        code: str,
        message: str,
        path: Path,
        *,
        expected: JsonValue = None,
        found: JsonValue = None,
        put: JsonValue = None,
        severity: Severity = Severity.WARNING,
    ) -> None:
        """Keep a warning; `put` is the value that the fix writes there."""
        where = pointer_to(path)
        fixes = (Fix(title="write it so", patch=({"op": "replace", "path": where, "value": put},)),) if put else ()
        self.add(fault(code, message, where, expected=expected, found=found, severity=severity, fixes=fixes), path)

    def error(
        self, code: str, message: str, path: Path, *, expected: JsonValue = None, found: JsonValue = None
    ) -> None:
        """Keep an error."""
        self.add(fault(code, message, pointer_to(path), expected=expected, found=found), path)

    def add(self, note: Diagnostic, path: Path) -> None:
        """Keep a diagnostic, with its node."""
        if path[:1] == ("nodes",) and len(path) > 1 and isinstance(path[1], str):
            note = note.model_copy(update={"location": note.location.model_copy(update={"node": path[1]})})
        self.notes.append(note)
