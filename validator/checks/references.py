"""Does every name name something that exists, and that is there when it is read?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Fix, Related
from validator.analysis.locations import at_node
from validator.analysis.semver import admits
from validator.analysis.types import Missing
from validator.analysis.uses import Use, uses
from validator.check_input import CheckInput, error
from validator.suggest import did_you_mean, nearest


def unknown_node_type(given: CheckInput) -> Iterator[Diagnostic]:
    """A node's `type` is not in the catalog.

    What: `type` names a registered Node Type.
    Why: a workflow composes known capabilities; it never invents one.
    Bad: `"type": "notify.emial"`
    Good: `"type": "notify.email"`, or a `human.task` with a gap `unmapped_step`.
    """
    types = given.catalog.node_types
    for name, node in given.workflow.nodes.items():
        if given.catalog.resolve(node.type) is not None:
            continue
        place = at_node(given.workflow, name, "type")
        meant = None if _of_other_catalog(given, node.type) else nearest(node.type, types)
        hint = did_you_mean(node.type, types) if meant else "; see `flowc catalog search`"
        if _of_other_catalog(given, node.type):
            hint = "; the workflow was compiled with another catalog: name that one, too, with --catalog"
        yield error(
            "unknown-node-type",
            f'unknown node type "{node.type}"{hint}',
            place,
            found=node.type,
            expected=meant,
            fixes=(_use(meant, place.pointer),) if meant else (),
        )


def _of_other_catalog(given: CheckInput, name: str) -> bool:
    """Whether a Type is of a system of which this catalog has none, and the workflow was made with another one."""
    made = given.workflow.provenance.catalog if given.workflow.provenance is not None else None
    system = name.partition(".")[0]
    known = {one.partition(".")[0] for one in given.catalog.node_types}
    return made not in (None, given.catalog.digest) and system not in known


def unresolved_type_version(given: CheckInput) -> Iterator[Diagnostic]:
    """No version of the Node Type satisfies `type_version`.

    What: `type_version` is a range (`1.0.0`, `^1.0.0`, `~1.2`, `>=1.0.0`) that the catalog's version lies in.
    Why: another version may take and give other fields.
    Bad: `"type_version": "^2.0.0"` where the catalog has 1.4.0.
    Good: `"type_version": "^1.0.0"`
    """
    for name, node in given.workflow.nodes.items():
        found = given.catalog.resolve(node.type)
        if found is None or node.type_version is None:
            continue
        verdict = admits(node.type_version, found.version)
        if verdict:
            continue
        place = at_node(given.workflow, name, "type_version")
        fault = "admits no version of" if verdict is False else "is no version range such as ^1.0.0 for"
        yield error(
            "unresolved-type-version",
            f'"{node.type_version}" {fault} {found.type}; the catalog has {found.version}',
            place,
            found=node.type_version,
            expected=found.version,
            fixes=(_use(f"^{found.version}", place.pointer),),
        )


def unknown_input(given: CheckInput) -> Iterator[Diagnostic]:
    """A reference names a workflow input that is not declared.

    What: `$.inputs.NAME` where `inputs` has no NAME.
    Why: a run is given the declared inputs and nothing else.
    Bad: `"$.inputs.substance"` where the input is called `substance_name`.
    Good: `"$.inputs.substance_name"`
    """
    for read, missing in _missing(given, "input"):
        if read.by not in ("rule", "formula") or missing.name not in _inputs_of_users(given, read.pack):
            yield _unknown("unknown-input", read, missing, f'there is no input "{missing.name}"')


def unknown_node(given: CheckInput) -> Iterator[Diagnostic]:
    """A reference names a node that does not exist.

    What: `$.outputs.NODE…` where `nodes` has no NODE.
    Why: nothing would ever give the value.
    Bad: `"$.outputs.lookup.hazard_level"` where the node is called `level`.
    Good: `"$.outputs.level.hazard_level"`
    """
    for read, missing in _missing(given, "node"):
        yield _unknown("unknown-node", read, missing, f'there is no node "{missing.name}"')


def unknown_output_field(given: CheckInput) -> Iterator[Diagnostic]:
    """A reference names a field that the node's Type (or the input's type) does not declare.

    What: `$.outputs.NODE.FIELD` where FIELD is not among the outputs of NODE, or not among the properties on the way.
    Why: nothing would ever give the value.
    Bad: `"$.outputs.level.level"` where the output is called `hazard_level`.
    Good: `"$.outputs.level.hazard_level"`
    """
    for read, missing in _missing(given, "field"):
        parent = read.ref.text.rsplit(f".{missing.name}", 1)[0]
        said = f'{parent} has no field "{missing.name}"'
        if not missing.closed:
            said = f'{parent} has no declared parts, so "{missing.name}" cannot be read from it'
        yield _unknown("unknown-output-field", read, missing, said)


def external_state(given: CheckInput) -> Iterator[Diagnostic]:
    """A reference reads something that is neither an input of the workflow nor an output of a node.

    What: `$.facts…` and `$.steps…`, which a procedure may use, stand in a workflow.
    Why: what a run depends on must be declared, or the run cannot be replayed.
    Bad: `{"gt": ["$.facts.amount", 1000]}`
    Good: `{"gt": ["$.inputs.amount", 1000]}`
    """
    for read, _ in _missing(given, "state"):
        yield error(
            "external-state",
            f"{read.ref.text} is neither an input nor a node's output; expected $.inputs.NAME or $.outputs.NODE.FIELD",
            read.location,
            found=read.ref.text,
            expected=["$.inputs", "$.outputs"],
        )


def reference_not_upstream(given: CheckInput) -> Iterator[Diagnostic]:
    """A node's output is read where the node cannot have run yet.

    What: a node, or a formula that it computes, reads a node from which no path leads to it; an edge one that is not at
        or before its source; a guard or trigger any node at all.
    Why: the value would not be there, or be there only by chance.
    Bad: `identify` reads `$.outputs.level.hazard_level`, and `level` comes after it.
    Good: an edge from the node that gives the value, on the way to the one that reads it.
    """
    ancestors = given.analysis.graph.ancestors
    for read in uses(given.workflow):
        source = read.ref.node
        if read.ref.root != "outputs" or source not in given.workflow.nodes or read.by in ("rule", "output"):
            continue
        if read.by == "formula":
            users = [name for name, node in given.workflow.nodes.items() if node.rule_pack == read.pack]
            early = [name for name in users if name in ancestors and source not in ancestors[name]]
            if not early:
                continue
            fault = _no_path(source, early[0])
        elif read.at is None:
            fault = f"a {read.by} is looked at before any node has run"
        elif read.at not in ancestors or source in ancestors[read.at] or (read.by == "edge" and source == read.at):
            continue
        else:
            fault = _no_path(source, read.at)
        yield error(
            "reference-not-upstream",
            f"{read.ref.text} has no value there: {fault}",
            read.location,
            found=read.ref.text,
            related=(Related(message="the node that gives it", location=at_node(given.workflow, source)),),
        )


def _no_path(source: str, reader: str) -> str:
    return f'no path leads from "{source}" to "{reader}"' if source != reader else "a node cannot read itself"


def unknown_rule_pack(given: CheckInput) -> Iterator[Diagnostic]:
    """A node applies a rule pack that the workflow does not hold.

    What: `rule_pack` names a key of `rule_packs`.
    Why: without its rules the decision has nothing to decide by.
    Bad: `"rule_pack": "transport"` where `rule_packs` is empty.
    Good: the pack is in `rule_packs`.
    """
    packs = given.workflow.rule_packs
    for name, node in given.workflow.nodes.items():
        if node.rule_pack is not None and node.rule_pack not in packs:
            place = at_node(given.workflow, name, "rule_pack")
            meant = nearest(node.rule_pack, packs)
            yield error(
                "unknown-rule-pack",
                f'there is no rule pack "{node.rule_pack}"{did_you_mean(node.rule_pack, packs)}',
                place,
                found=node.rule_pack,
                expected=list(packs),
                fixes=(_use(meant, place.pointer),) if meant else (),
            )


def _missing(given: CheckInput, what: str) -> Iterator[tuple[Use, Missing]]:
    for read in uses(given.workflow):
        found = given.analysis.scope.chain(read.ref)
        if isinstance(found, Missing) and found.what == what:
            yield read, found


def _inputs_of_users(given: CheckInput, pack: str | None) -> set[str]:
    """The inputs of the nodes that apply a rule pack: its conditions may read them by name."""
    names = set[str]()
    for node in given.workflow.nodes.values():
        if pack is not None and node.rule_pack == pack:
            found = given.catalog.resolve(node.type)
            names |= set(node.inputs) | set(found.inputs_schema if found else ())
    return names


def _unknown(code: str, read: Use, missing: Missing, fault: str) -> Diagnostic:
    meant = nearest(missing.name, missing.known)
    fixes: tuple[Fix, ...] = ()
    if meant and read.by in ("input", "output", "result"):
        head, tail = read.ref.text.split(f".{missing.name}", 1)
        fixes = (_use(f"{head}.{meant}{tail}", read.location.pointer),)
    return error(
        code,
        f"{read.ref.text}: {fault}{did_you_mean(missing.name, missing.known)}",
        read.location,
        found=read.ref.text,
        expected=list(missing.known),
        fixes=fixes,
    )


def _use(value: str | None, path: str | None) -> Fix:
    return Fix(title=f'use "{value}"', patch=({"op": "replace", "path": path, "value": value},))


CHECKS = (
    unknown_node_type,
    unresolved_type_version,
    unknown_input,
    unknown_node,
    unknown_output_field,
    external_state,
    reference_not_upstream,
    unknown_rule_pack,
)
