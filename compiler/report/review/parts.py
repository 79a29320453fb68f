"""What a review page shows, and the pieces that its parts share: keys, links, quotes, lists."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from catalog.load import Catalog
from compiler.fates.verdict import verdict
from compiler.report.markup import Attributes, Child, Markup, element, join
from compiler.report.readers_words import Reader
from compiler.report.review.marks import Citation, Citations, Places
from compiler.report.words import Words
from ir.diagnostics import Diagnostic, Location
from ir.document import Document
from ir.facts import Bindings, Found
from ir.procedure import Procedure, Step
from ir.source import Evidence, Span
from ir.verdict import StatementFate, Verdict
from ir.workflow import Edge, Rule, Workflow

_MARKED = frozenset({"unplaced", "unenforced", "enforced"})
"""Fates whose statements are marked in the text even where nothing else rests on their words."""


@dataclass(frozen=True)
class Review:
    """All that a reviewer of one workflow is shown.

    Args:
        procedure: what the workflow was drawn from; None where there is none, as for a workflow written by hand.
        documents: those that are cited; the procedure's own comes first on the page.
        bindings: what each form of the build says of the workflow's inputs.
        catalog: for the names of types, fields and values in the reader's language.
        notes: further sentences for the reader, shown with the provenance.
        primer_reasons: by primer's name, why it puts things in, in the reader's language; for others the page has
            words of its own.
        statements: what became of the statements of the document that are this draft's own.
        verdict: what the draft says of itself; None where only the workflow is known.
    """

    workflow: Workflow
    procedure: Procedure | None = None
    documents: tuple[Document, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    bindings: tuple[Bindings, ...] = ()
    catalog: Catalog | None = None
    notes: tuple[str, ...] = ()
    primer_reasons: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[StatementFate, ...] = ()
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Page:
    """A review with what its parts look up: the reader's words, the key of each thing, its quotes.

    A key is a letter for the sort of thing (see `Citations`) and its number among those.
    """

    review: Review

    @property
    def workflow(self) -> Workflow:
        """The workflow under review."""
        return self.review.workflow

    @cached_property
    def reader(self) -> Reader:
        """Reads the workflow in its language; where it names none, in its procedure's."""
        procedure, named = self.review.procedure, self.workflow.metadata.language
        language = procedure.language if procedure and named not in ("zh", "en") else None
        return Reader(self.workflow, self.review.catalog, language if language in ("zh", "en") else None)

    @cached_property
    def verdict(self) -> Verdict:
        """What the draft says of itself."""
        return self.review.verdict or verdict(self.workflow, self.review.diagnostics)

    @property
    def words(self) -> Words:
        """The fixed words in the reader's language."""
        return self.reader.words

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The documents, the procedure's own first."""
        main = self.review.procedure.doc_id if self.review.procedure else None
        return tuple(sorted(self.review.documents, key=lambda document: document.doc_id != main))

    @cached_property
    def node_keys(self) -> dict[str, str]:
        """Keys of nodes by id."""
        return {node_id: f"n{index}" for index, node_id in enumerate(self.workflow.nodes)}

    @cached_property
    def input_keys(self) -> dict[str, str]:
        """Keys of the workflow's inputs by name."""
        return {name: f"i{index}" for index, name in enumerate(self.workflow.inputs)}

    @cached_property
    def result_keys(self) -> dict[str, str]:
        """The key of each result, by its name."""
        return {name: f"o{index}" for index, name in enumerate(self.workflow.results)}

    @cached_property
    def rules(self) -> tuple[tuple[str, str, Rule], ...]:
        """Every rule with its key and the id of its pack."""
        pairs = [(pack_id, rule) for pack_id, pack in self.workflow.rule_packs.items() for rule in pack.rules]
        return tuple((f"r{index}", pack_id, rule) for index, (pack_id, rule) in enumerate(pairs))

    @cached_property
    def found(self) -> tuple[Found, ...]:
        """The rows of references that bound values name, each once, whichever forms name it."""
        rows: list[Found] = []
        for form in self.review.bindings:
            rows += [row for row in form.found if row not in rows]
        return tuple(rows)

    @cached_property
    def citations(self) -> Citations:
        """All quotes of the page."""
        return Citations(self._owned())

    def _owned(self) -> Iterator[tuple[str, Sequence[Evidence]]]:
        for node_id, node in self.workflow.nodes.items():
            yield self.node_keys[node_id], (*node.evidence, *(node.deadline.evidence if node.deadline else ()))
        for index, edge in enumerate(self.workflow.edges):
            yield f"e{index}", edge.evidence
        for index, gap in enumerate(self.workflow.gaps):
            yield f"g{index}", gap.evidence
        for index, diagnostic in enumerate(self.review.diagnostics):
            yield f"d{index}", diagnostic.evidence
        for name, spec in self.workflow.inputs.items():
            bound = [one for form in self.review.bindings for one in form.bindings if one.input == name]
            yield self.input_keys[name], (*spec.evidence, *(quote for one in bound for quote in one.evidence))
        for name, result in self.workflow.results.items():
            yield self.result_keys[name], result.evidence
        for index, unplaced in enumerate(self.review.procedure.unplaced if self.review.procedure else ()):
            yield f"u{index}", unplaced.evidence
        for index, trigger in enumerate(self.workflow.triggers):
            yield f"t{index}", trigger.evidence
        main = self.review.procedure.doc_id if self.review.procedure else ""
        for index, one in enumerate(self.review.statements):
            if one.fate in _MARKED or one.prohibition:
                span = Span(doc_id=main, block=one.block, start=one.start, end=one.end, quote=one.text)
                yield f"s{index}", (Evidence.from_span(span),)
        for key, _, rule in self.rules:
            yield key, rule.quotes
        for index, found in enumerate(self.found):
            yield f"f{index}", found.evidence

    @cached_property
    def places(self) -> Places:
        """Finds pages and labels of quotes."""
        return Places(self.documents)

    @cached_property
    def names(self) -> dict[str, str]:
        """What each key's thing is called, in a few words."""
        words, reader = self.words, self.reader
        names = {key: reader.node_name(node_id) for node_id, key in self.node_keys.items()}
        for index, edge in enumerate(self.workflow.edges):
            names[f"e{index}"] = f"{reader.node_name(edge.source)} → {reader.node_name(edge.target)}"
        names |= {f"g{index}": words(f"gap.{gap.kind}") for index, gap in enumerate(self.workflow.gaps)}
        names |= {f"d{index}": one.error_code for index, one in enumerate(self.review.diagnostics)}
        names |= {key: reader.field_name(name, self.workflow.inputs[name]) for name, key in self.input_keys.items()}
        names |= {key: reader.field_name(name, self.workflow.results[name]) for name, key in self.result_keys.items()}
        unplaced = self.review.procedure.unplaced if self.review.procedure else ()
        names |= {f"u{index}": words("tab.unplaced") for index, _ in enumerate(unplaced)}
        names |= {f"t{index}": words("triggers") for index, _ in enumerate(self.workflow.triggers)}
        names |= {key: f"{pack_id} / {rule.rule_id}" for key, pack_id, rule in self.rules}
        names |= {f"s{index}": words(f"fate.{one.fate}") for index, one in enumerate(self.review.statements)}
        return names | {f"f{index}": one.reference for index, one in enumerate(self.found)}

    def keys_of(self, bearers: Iterable[str]) -> tuple[str, ...]:
        """Keys of what carries a statement (`node:ID`, `edge:INDEX`, …), as far as the page shows it."""
        found = []
        for bearer in bearers:
            sort, _, name = bearer.partition(":")
            known = self._keys_by_sort.get(sort, {})
            found.append(known.get(name) or {"edge": f"e{name}", "trigger": f"t{name}"}.get(sort))
        return tuple(key for key in dict.fromkeys(found) if key)

    @cached_property
    def _keys_by_sort(self) -> Mapping[str, Mapping[str, str]]:
        gaps = {gap.id: f"g{index}" for index, gap in enumerate(self.workflow.gaps)}
        rules = {f"{pack}/{rule.rule_id}": key for key, pack, rule in self.rules}
        return {"node": self.node_keys, "gap": gaps, "rule": rules, "input": self.input_keys}

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """The steps of the procedure, by id."""
        return {step.id: step for step in self.review.procedure.steps} if self.review.procedure else {}

    @cached_property
    def edges_into(self) -> Mapping[str, list[tuple[int, Edge]]]:
        """The edges by the node that they enter, each with its index."""
        return self._edges_by(lambda edge: edge.target)

    @cached_property
    def edges_out_of(self) -> Mapping[str, list[tuple[int, Edge]]]:
        """The edges by the node that they leave, each with its index."""
        return self._edges_by(lambda edge: edge.source)

    def _edges_by(self, end: Callable[[Edge], str]) -> dict[str, list[tuple[int, Edge]]]:
        found: dict[str, list[tuple[int, Edge]]] = {}
        for index, edge in enumerate(self.workflow.edges):
            found.setdefault(end(edge), []).append((index, edge))
        return found

    @cached_property
    def _step_keys(self) -> dict[str, list[str]]:
        """Keys of the nodes that carry a step, by its id."""
        found: dict[str, list[str]] = {}
        for node_id, node in self.workflow.nodes.items():
            for step in dict.fromkeys(node.step_ids):
                found.setdefault(step, []).append(self.node_keys[node_id])
        return found

    @cached_property
    def _pair_keys(self) -> dict[str, list[str]]:
        """Keys of edges by the nodes that they join, as locations name them."""
        found: dict[str, list[str]] = {}
        for index, edge in enumerate(self.workflow.edges):
            found.setdefault(f"{edge.source}->{edge.target}", []).append(f"e{index}")
        return found

    @cached_property
    def gaps_about(self) -> dict[str, list[int]]:
        """The gaps that concern what a key stands for, by their numbers."""
        return _by_key(self.keys_about(gap.about) for gap in self.workflow.gaps)

    @cached_property
    def diagnostics_at(self) -> dict[str, list[int]]:
        """The diagnostics at what a key stands for, by their numbers."""
        return _by_key(self.keys_at(one.location) for one in self.review.diagnostics)

    def keys_about(self, about: Iterable[str]) -> tuple[str, ...]:
        """Keys of the nodes and inputs that ids name, be they of nodes, inputs or steps of the procedure."""
        keys: list[str] = []
        for name in about:
            if name in self.node_keys:
                keys.append(self.node_keys[name])
            elif name in self.input_keys:
                keys.append(self.input_keys[name])
            else:
                keys += self._step_keys.get(name, ())
        return tuple(dict.fromkeys(keys))

    def keys_at(self, location: Location) -> tuple[str, ...]:
        """Keys of what a diagnostic's location names: edges, nodes, inputs, results."""
        keys: list[str] = []
        root, _, rest = (location.pointer or "").lstrip("/").partition("/")
        name = rest.partition("/")[0].replace("~1", "/").replace("~0", "~")
        if root == "edges" and name.isdecimal() and int(name) < len(self.workflow.edges):
            keys.append(f"e{int(name)}")
        if location.edge:
            keys += self._pair_keys.get(location.edge, ()) if not keys else []
        keys += self.keys_about([location.node] if location.node else [name] if root in ("nodes", "inputs") else [])
        keys += [self.result_keys[name]] if root == "results" and name in self.result_keys else []
        if not keys and location.field in self.input_keys:
            keys.append(self.input_keys[location.field])
        return tuple(dict.fromkeys(keys))

    def link(self, key: str, text: str | None = None) -> Markup:
        """A button that selects what a key stands for."""
        return element(
            "button", {"type": "button", "class": "link", "data-select": key}, text or self.names.get(key, key)
        )

    def links(self, keys: Iterable[str]) -> Markup:
        """Several such buttons."""
        return join((self.link(key) for key in keys), self.words("list_comma"))

    def quotes(self, key: str) -> Markup | None:
        """The quotes of what a key stands for, each with its place and how it was found; None without any."""
        cited = self.citations.quotes_of(key)
        return element("ul", {"class": "quotes"}, (self._quote(one) for one in cited)) if cited else None

    def _quote(self, cited: Citation) -> Markup:
        evidence, words = cited.evidence, self.words
        place = self.places.place_of(evidence)
        parts = [place.title, words("page", place.page) if place.page else None, place.label]
        status = evidence.status.value if evidence.status else "unsought"
        sound = "sound" if evidence.supports else "unsound"
        meta = element(
            "span",
            {"class": "meta"},
            join([part for part in parts if part], " · "),
            " ",
            element("span", {"class": f"status {sound} {status}"}, words(f"grounding.{status}")),
        )
        claimed = evidence.claimed if evidence.claimed and evidence.claimed != evidence.quote else None
        said = element("span", {"class": "meta"}, f"{words('claimed')}: {claimed}") if claimed else None
        quote = element("q", {"dir": "auto"}, evidence.quote)
        if not self.places.has(evidence):
            return element("li", {"class": sound}, quote, meta, said)
        target: Attributes = {
            "type": "button",
            "data-select": cited.owner,
            "data-ev": cited.number,
            "title": words("show_source"),
        }
        return element("li", {"class": sound}, element("button", {**target, "class": "quote"}, quote, meta, said))


def _by_key(keys: Iterable[tuple[str, ...]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, own in enumerate(keys):
        for key in own:
            found.setdefault(key, []).append(index)
    return found


def facts(rows: Iterable[tuple[str, Child]]) -> Markup | None:
    """A list of names and values; rows without a value are left out, None where none is left."""
    kept = [(name, value) for name, value in rows if value]
    if not kept:
        return None
    return element("dl", {}, ((element("dt", {}, name), element("dd", {}, value)) for name, value in kept))


def section(title: str, *children: Child) -> Markup | None:
    """A titled part; None where there is nothing in it."""
    kept = [child for child in children if child]
    return element("section", {}, element("h4", {}, title), *kept) if kept else None


def chip(text: str, sort: str = "") -> Markup:
    """A short word in a frame."""
    return element("span", {"class": f"chip {sort}".strip()}, text)
