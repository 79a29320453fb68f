"""The panels of a review page: questions, diagnostics, data, policy, unplaced text, provenance."""

import json

from pydantic import JsonValue

from compiler.fates.verdict import asked
from compiler.report.markup import Child, Markup, element, join
from compiler.report.review.details import mapping_words
from compiler.report.review.parts import Page, chip, facts, section
from ir.diagnostics import Diagnostic, Severity
from ir.facts import Binding, Bindings
from ir.formulas.infix import to_formula
from ir.procedure import Gap, UnplacedText
from ir.verdict import StatementFate
from ir.workflow import InputSpec


def questions_panel(page: Page) -> Markup:
    """The gaps: each question for a person, then in one place the steps that no Type fits."""
    gaps = page.workflow.gaps
    open_ = asked(page.workflow)
    questions = [_gap(page, index, gap) for index, gap in enumerate(gaps) if gap in open_]
    unmapped = [_gap(page, index, gap) for index, gap in enumerate(gaps) if gap not in open_]
    shown = [*questions, *([section(page.words("unmapped.steps", len(unmapped)), *unmapped)] if unmapped else [])]
    return join(shown) if shown else _empty(page, "no_gaps")


def _gap(page: Page, index: int, gap: Gap) -> Markup:
    key, about = f"g{index}", page.keys_about(gap.about)
    return element(
        "article",
        {"class": "card gap", "data-key": key, "data-graph": " ".join(about), "data-hash": f"gap={gap.id}"},
        element("p", {"class": "chips"}, chip(page.words(f"gap.{gap.kind}"), "warn"), element("code", {}, gap.id)),
        _pick(key, gap.question),
        facts([(page.words("about"), page.links(about) if about else page.words("list_comma").join(gap.about))]),
        page.quotes(key),
    )


def diagnostics_panel(page: Page) -> Markup:
    """The diagnostics, errors first; each with its place, what was found, a witness and fixes."""
    order = list(Severity)
    numbered = sorted(enumerate(page.review.diagnostics), key=lambda pair: order.index(pair[1].severity))
    cards = [_diagnostic(page, index, one) for index, one in numbered]
    return join(cards) if cards else _empty(page, "no_diagnostics")


def _diagnostic(page: Page, index: int, one: Diagnostic) -> Markup:
    words, key, about = page.words, f"d{index}", page.keys_at(one.location)
    title = [chip(words(f"severity.{one.severity}"), f"severity-{one.severity}"), element("code", {}, one.error_code)]
    fixes = [element("li", {}, fix.title) for fix in one.fixes]
    related = [element("li", {}, note.message, " ", str(note.location)) for note in one.related]
    return element(
        "article",
        {
            "class": f"card {one.severity}",
            "data-key": key,
            "data-graph": " ".join(about),
            "data-hash": f"diag={index}",
            "data-at": one.location.block,
        },
        element("p", {"class": "chips"}, title),
        _pick(key, words.of_code(one.error_code, one.message)),
        facts([(words("about"), page.links(about) if about else None)]),
        page.quotes(key),
        element(
            "details",
            {"class": "technical"},
            element("summary", {}, words("technical")),
            element("p", {}, one.message),
            facts(
                [
                    (words("place"), str(one.location)),
                    (words("expected"), _json(one.expected)),
                    (words("found"), _json(one.found)),
                    (words("witness"), _json(one.witness)),
                    (words("fixes"), element("ul", {"class": "plain"}, fixes) if fixes else None),
                ]
            ),
            element("ul", {"class": "plain"}, related) if related else None,
        ),
    )


def _pick(key: str, text: str) -> Markup:
    return element("button", {"type": "button", "class": "pick", "data-select": key}, text)


def _empty(page: Page, key: str) -> Markup:
    return element("p", {"class": "empty"}, page.words(key))


def _json(value: JsonValue | dict[str, JsonValue]) -> Markup | None:
    if value is None:
        return None
    return element("code", {}, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def data_panel(page: Page) -> Markup:
    """The inputs with their bindings, the rows found in references, the outputs and results."""
    inputs = [_input(page, name, spec) for name, spec in page.workflow.inputs.items()]
    found = []
    for index, one in enumerate(page.found):
        key = f"f{index}"
        row = facts((column, page.reader.value(value)) for column, value in one.row.items())
        name = page.input_keys.get(one.input)
        head = element(
            "h5", {}, page.link(name) if name else one.input, f" = {page.reader.value(one.value)} · {one.reference}"
        )
        found.append(element("article", {"class": "card", "data-key": key}, head, row, page.quotes(key)))
    outputs = [
        element(
            "tr",
            {},
            element("th", {"scope": "row"}, element("code", {}, name)),
            element("td", {}, mapping_words(page, value)),
        )
        for name, value in page.workflow.outputs.items()
    ]
    table = element("table", {"class": "map"}, element("tbody", {}, outputs)) if outputs else _empty(page, "no_outputs")
    return join(
        [
            section(page.words("inputs"), join(inputs) if inputs else _empty(page, "no_inputs")),
            section(page.words("found_rows"), join(found)),
            section(page.words("outputs"), table),
            section(page.words("results"), join([_result(page, name) for name in page.workflow.results])),
        ]
    )


def _result(page: Page, name: str) -> Markup:
    """What a run gives as the document names it: what it can be, which ends give it, on which words it stands."""
    words, reader, key, spec = page.words, page.reader, page.result_keys[name], page.workflow.results[name]
    kind = spec.type + (f" ({spec.unit})" if spec.unit else "")
    need = words("result.always") if spec.is_required else words("result.perhaps")
    choices = reader.choices(spec) or (reader.choices(spec.items) if spec.items else None)
    ends = [
        element("div", {}, page.link(page.node_keys[end]), " ", mapping_words(page, (node.results or {})[name]))
        for end, node in page.workflow.nodes.items()
        if name in (node.results or {})
    ]
    return element(
        "article",
        {"class": "card", "data-key": key, "data-hash": f"result={name}"},
        element("p", {"class": "head"}, _pick(key, reader.field_name(name, spec)), element("code", {}, name)),
        element("p", {"class": "muted"}, join([part for part in (kind, need, choices) if part], " · ")),
        facts(
            [
                (words("result.report"), spec.report),
                (words("result.ends"), ends),
                (words("default"), reader.value(spec.default, spec) if spec.default is not None else None),
            ]
        ),
        page.quotes(key),
    )


def _input(page: Page, name: str, spec: InputSpec) -> Markup:
    words, reader, key = page.words, page.reader, page.input_keys[name]
    forms = page.review.bindings
    bound = [(form, one) for form in forms for one in form.bindings if one.input == name]
    kind = spec.type + (f" ({spec.unit})" if spec.unit else "")
    need = words("required") if spec.is_required else words("optional")
    missing = [form for form in forms if name in form.unbound]
    return element(
        "article",
        {
            "class": "card input",
            "data-key": key,
            "data-graph": " ".join(_readers(page, name)),
            "data-hash": f"input={name}",
        },
        element("p", {"class": "head"}, _pick(key, reader.field_name(name, spec)), element("code", {}, name)),
        element("p", {"class": "muted"}, join([part for part in (kind, need, reader.choices(spec)) if part], " · ")),
        facts(
            [
                (
                    words("bound"),
                    [element("div", {}, _form(page, form), _bound(page, one, spec)) for form, one in bound],
                ),
                (words("default"), reader.value(spec.default, spec) if spec.default is not None else None),
            ]
        ),
        [element("p", {}, _form(page, form), chip(words("unbound"), "warn")) for form in missing],
        page.quotes(key),
    )


def _form(page: Page, bindings: Bindings) -> Markup | None:
    """Which form gives a value, where the build has several."""
    if len(page.review.bindings) < 2 or bindings.form is None:
        return None
    titles = {document.doc_id: document.title for document in page.documents}
    return element("span", {"class": "muted"}, titles.get(bindings.form, bindings.form), ": ")


def _bound(page: Page, binding: Binding, spec: InputSpec) -> Markup:
    """A bound value; of a converted one also the quantity as written, `5 吨 → 5000 kg`."""
    unit = f" {binding.unit}" if binding.unit else ""
    plain_spec = spec.model_copy(update={"unit": None}) if binding.unit else spec
    value = element("b", {}, page.reader.value(binding.value, plain_spec) + unit)
    was = binding.converted_from
    return join([f"{was.value:g} {was.unit} → ", value]) if was else value


def _readers(page: Page, name: str) -> list[str]:
    """Keys of the nodes that read an input of the workflow."""
    return [
        page.node_keys[node_id]
        for node_id, node in page.workflow.nodes.items()
        if any(ref.root == "inputs" and ref.path[0] == name for ref in node.references.values())
    ]


def policy_panel(page: Page) -> Markup:
    """The execution policy, what starts the workflow, what is checked before, the rules that decisions apply."""
    words, policy, workflow = page.words, page.workflow.execution_policy, page.workflow
    defaults = policy.defaults
    rows: list[tuple[str, Child]] = [
        (words("risk"), chip(words(f"risk.{policy.risk_level}"), f"risk-{policy.risk_level}")),
        (words("allow_auto"), words("allow_auto.yes" if policy.allow_auto else "allow_auto.no")),
        (
            words("require_approval"),
            words("require_approval.yes" if policy.require_approval else "require_approval.no"),
        ),
        (words("policy.timeout"), page.reader.duration(defaults.timeout)),
        (words("policy.max_attempts"), str(defaults.max_attempts) if defaults.max_attempts else None),
        (words("policy.backoff"), page.reader.duration(defaults.backoff)),
    ]
    triggers = [
        element("li", {"data-key": f"t{index}"}, trigger.text, page.quotes(f"t{index}"))
        for index, trigger in enumerate(workflow.triggers)
    ]
    guards = [
        element(
            "li",
            {},
            page.reader.condition(guard.condition),
            " ",
            element("code", {}, guard.error_code),
            " ",
            guard.message or "",
        )
        for guard in workflow.guards
    ]
    rules = [_rule(page, number) for number in range(len(page.rules))]
    return join(
        [
            facts(rows),
            section(words("triggers"), element("ul", {"class": "plain"}, triggers) if triggers else None),
            section(words("guards"), element("ul", {"class": "plain"}, guards) if guards else None),
            section(words("rules"), join(rules)),
        ]
    )


def _rule(page: Page, number: int) -> Markup:
    key, pack_id, rule = page.rules[number]
    given = {name: page.reader.value(value) for name, value in rule.outcome.items()}
    given |= {name: page.reader.formula(one.formula) for name, one in rule.formulas.items()}
    outcome = page.words("list_comma").join(f"{name} = {value}" for name, value in given.items())
    text = f"{page.reader.condition(rule.condition)} ⇒ {outcome}"
    head = element("p", {"class": "head"}, _pick(key, text), element("code", {}, f"{pack_id} / {rule.rule_id}"))
    exact = [
        element("p", {"class": "muted"}, element("code", {}, f"{name} = {to_formula(one.formula)}"))
        for name, one in rule.formulas.items()
    ]
    return element("article", {"class": "card", "data-key": key}, head, exact, page.quotes(key))


def unplaced_statements(page: Page) -> tuple[int, ...]:
    """Which statements have no place, by index: the same ones that terminal and JSON count."""
    return tuple(index for index, one in enumerate(page.review.statements) if one.fate == "unplaced")


def unplaced_panel(page: Page) -> Markup:
    """Statements that demand something and were given no place; below them other text that was read into nothing."""
    listed = page.review.procedure.unplaced if page.review.procedure else ()
    without = unplaced_statements(page)
    told = [page.review.statements[index] for index in without]
    rest = [(index, one) for index, one in enumerate(listed) if not any(_speaks_of(one, each) for each in told)]
    if not without and not rest:
        return _empty(page, "no_unplaced")
    cards = [_unplaced(page, f"s{index}", f"statement={index}", one.text, one.reason or "") for index, one in
             zip(without, told, strict=True)]  # fmt: skip
    others = [_unplaced(page, f"u{index}", f"unplaced={index}", one.text, one.reason) for index, one in rest]
    intro = element("p", {"class": "muted"}, page.words("unplaced.intro" if without else "no_unplaced"))
    return join([intro, *cards, *([section(page.words("unplaced.rest", len(others)), join(others))] if others else [])])


def _speaks_of(text: UnplacedText, one: StatementFate) -> bool:
    """Whether a listed text holds words of a statement."""
    spans = [quote.span for quote in text.evidence if quote.span is not None]
    return any(span.block == one.block and span.start < one.end and one.start < span.end for span in spans)


def _unplaced(page: Page, key: str, address: str, text: str, reason: str) -> Markup:
    why = element("p", {"class": "muted"}, reason)
    return element(
        "article", {"class": "card", "data-key": key, "data-hash": address}, _pick(key, text), why, page.quotes(key)
    )


def provenance_panel(page: Page) -> Markup:
    """What made the draft, from which bytes, and notes for the reader."""
    words, made, metadata = page.words, page.workflow.provenance, page.workflow.metadata
    rows: list[tuple[str, Child]] = [
        (words("provenance.owner"), metadata.owner),
        (words("provenance.domain"), metadata.domain),
    ]
    if made:
        rows += [
            (words("provenance.compiler"), made.compiler),
            (words("provenance.mode"), words(f"mode.{made.mode}")),
            (words("provenance.method"), made.method),
            (words("provenance.model"), made.model),
            (words("provenance.embedder"), made.embedder),
            (words("provenance.catalog"), _digest(made.catalog) if made.catalog else None),
            (words("provenance.primers"), words("list_comma").join(made.primers)),
        ]
    documents = [element("li", {}, one.doc_id, " ", _digest(one.sha256)) for one in (made.documents if made else ())]
    notes = [element("li", {}, note) for note in page.review.notes]
    return join(
        [
            element("p", {}, metadata.description) if metadata.description else None,
            facts(rows),
            _empty(page, "provenance.none") if made is None else None,
            section(words("provenance.documents"), element("ul", {"class": "plain"}, documents) if documents else None),
            section(words("notes"), element("ul", {"class": "plain"}, notes) if notes else None),
        ]
    )


def _digest(text: str) -> Markup:
    return element("code", {"class": "digest", "title": text}, text[:16] + ("…" if len(text) > 16 else ""))
