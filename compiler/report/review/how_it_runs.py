"""The panel "How it runs" of a review page: routes, people, whether it can do without them, and what decides."""

from collections.abc import Iterable

from catalog.load import Catalog
from compiler.report.markup import Child, Markup, element, join
from compiler.report.review.parts import Page, chip, facts, section
from ir.predicate import Always, Otherwise, Ref, references
from ir.walk import ERROR_KEY
from ir.workflow import Edge
from validator.explain.explanation import Deciding, Explanation, Route, explain
from validator.runs.example_runs import Run

SHOWN = 12
"""The most routes that are listed."""
_ABLE = {True: "yes", False: "no", None: "unknown"}


def how_it_runs_panel(page: Page) -> Markup:
    """What can be said of the runs before there is one."""
    explained = explain(page.workflow, page.review.catalog or Catalog({}, {}), shown=SHOWN)
    words = page.words
    start = words("allow_auto.yes" if explained.may_start_by_itself else "allow_auto.no")
    rows: list[tuple[str, Child]] = [
        (words("runs.routes"), _count(page, explained)),
        (words("runs.alone"), _alone(page, explained)),
        (words("allow_auto"), start),
    ]
    return join(
        [
            facts(rows),
            section(words("runs.people"), _people(page, explained)),
            section(words("runs.decides"), _decides(page, explained)),
            section(words("runs.routes"), _routes(page, explained)),
        ]
    )


def _count(page: Page, explained: Explanation) -> str:
    key = "runs.count" if explained.exact else "runs.count_at_most"
    count = page.words(key, explained.route_count, explained.routes_with_person)
    return count + page.words("runs.side_by_side") if explained.side_by_side else count


def _alone(page: Page, explained: Explanation) -> Markup:
    """Whether a run can complete without a person, with the values of one that does."""
    able, example = explained.completes_without_person, explained.without_person
    answer = chip(page.words(f"runs.alone.{_ABLE[able]}"), "warn" if able is None else "")
    values = _values(page, example) if example else ""
    said = element("span", {"class": "sub"}, f"{page.words('runs.example')} {values}") if values else None
    return join([answer, said])


def _values(page: Page, run: Run) -> str:
    """The values of a run in the reader's words."""
    values = {Ref(f"$.inputs.{name}"): value for name, value in run.inputs.items()}
    for node, record in run.outputs.items():
        values |= {Ref(f"$.outputs.{node}.{name}"): one for name, one in record.items() if name != ERROR_KEY}
    reader = page.reader
    return page.words("list_comma").join(
        f"{_name(page, ref)} = {reader.value(value, reader.field(ref))}" for ref, value in values.items()
    )


def _name(page: Page, ref: Ref) -> str:
    """What a reference reads, with the step that gives it."""
    name = page.reader.ref_name(ref)
    return page.words("of", name, page.reader.node_name(ref.node)) if ref.node else name


def _people(page: Page, explained: Explanation) -> Markup:
    """The steps that need a person: who, for what, when, and where the step comes from."""
    if not explained.people:
        return element("p", {"class": "empty"}, page.words("runs.nobody"))
    cards = []
    for person in explained.people:
        node = page.workflow.nodes[person.node]
        rows: list[tuple[str, Child]] = [
            (page.words("actor"), person.who),
            (page.words("question"), node.question if node.question != node.label else None),
            (page.words("ways_in"), _when(page, person.node)),
            (page.words("origin"), page.words(f"origin.{node.origin.partition(':')[0]}")),
        ]
        cards.append(element("article", {"class": "card"}, page.link(page.node_keys[person.node]), facts(rows)))
    return join(cards)


def _when(page: Page, node: str) -> Markup | None:
    """The conditions under which a node is come to; None where one of its ways has none."""
    told = [_when_taken(page, edge) for edge in page.workflow.edges_to(node)]
    if not told or None in told:
        return None
    return element("ul", {"class": "plain"}, [element("li", {}, one) for one in dict.fromkeys(told)])


def _when_taken(page: Page, edge: Edge, *, named: bool = True) -> str | None:
    """When an edge is taken, None where always; `named` with the step that it leaves, where the words need it."""
    name = page.reader.node_name(edge.source)
    if edge.on == "error":
        return page.words("runs.fails", name)
    if isinstance(edge.condition, Always):
        return None
    text = page.reader.condition(edge.condition, edge.source)
    return page.words("runs.rest", name) if named and isinstance(edge.condition, Otherwise) else text


def _decides(page: Page, explained: Explanation) -> Markup:
    """The inputs and results that decide, each with the places where it does."""
    rows = [_deciding(page, one) for one in explained.deciding]
    reading: dict[Ref, dict[str, None]] = {}
    for edge in page.workflow.edges:
        for ref in references(edge.condition):
            reading.setdefault(ref, {})[edge.source] = None
    rows += [_learnt(page, Ref(text), reading.get(Ref(text), ())) for text in explained.learnt]
    if not rows:
        return element("p", {"class": "empty"}, page.words("runs.nothing"))
    return element("table", {"class": "map"}, element("tbody", {}, rows))


def _deciding(page: Page, one: Deciding) -> Markup:
    how = page.words("runs.directly" if one.directly else "runs.through")
    return _row(page, page.link(page.input_keys[one.input]), how, one.at)


def _learnt(page: Page, ref: Ref, places: Iterable[str]) -> Markup:
    return _row(page, _name(page, ref), page.words("runs.learnt"), places)


def _row(page: Page, name: Child, how: str, places: Iterable[str]) -> Markup:
    head = element("th", {"scope": "row"}, name, element("span", {"class": "sub"}, how))
    keys = [page.node_keys.get(place) for place in places]
    items = [element("li", {}, page.link(key) if key else page.words("runs.start")) for key in keys]
    return element("tr", {}, head, element("td", {}, element("ul", {"class": "plain"}, items)))


def _routes(page: Page, explained: Explanation) -> Markup:
    key = "runs.counted" if explained.exact else "runs.counted_coarsely"
    rest = explained.route_count - len(explained.routes)
    return join(
        [
            element("p", {"class": "muted"}, page.words(key)),
            element("ol", {"class": "routes"}, [_route(page, route) for route in explained.routes]),
            element("p", {"class": "muted"}, page.words("runs.not_listed", rest)) if rest > 0 else None,
        ]
    )


def _route(page: Page, route: Route) -> Markup:
    """The steps one below the other, between them what must hold to come from one to the next."""
    told = [None, *(_when_taken(page, page.workflow.edges[index], named=False) for index in route.edges)]
    steps = [
        element(
            "li", {}, element("span", {"class": "sub"}, f"↓ {one}") if one else None, page.link(page.node_keys[name])
        )
        for one, name in zip(told, route.nodes, strict=True)
    ]
    chips = [
        chip(page.words(f"end.{route.ends}"), "good" if route.ends == "completed" else ""),
        chip(page.words("kind.human"), "kind-human") if route.people else None,
    ]
    return element("li", {}, element("p", {"class": "chips"}, chips), element("ol", {"class": "plain"}, steps))
