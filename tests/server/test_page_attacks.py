"""Attacks on the pages: each is tried, and nothing comes of it."""

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ORIGIN, PASSWORD, Answer, Browser, Browsers
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from ir.codec import read_workflow
from server.app import FAMILIES, make_app
from server.builds.folders import About
from server.builds.uploads import MOST_BYTES, clean_name
from server.pages import builds, health
from server.pages import files as of_files
from server.security import FORM_BYTES, POLICY, within
from server.site import Site
from store import audit
from store.clock import now
from store.tables import VERSIONS

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'javascript:alert(3)"
ROUTES = [
    route
    for family in FAMILIES
    if family is not of_files
    for route in family.router.routes
    if isinstance(route, APIRoute)
]
ACTS = [route for route in ROUTES if "POST" in route.methods]
OPEN = {"/sign-in", "/setup", "/language/{code}", health.ALIVE, health.READY}
"""What somebody may ask for who is not signed in."""


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one."""
        self.found.append((tag, dict(attrs)))


def acting_markup(answer: Answer) -> list[str]:
    """What in a page could act: scripts and styles in it, handlers, addresses that are scripts or lead elsewhere."""
    found = []
    for tag, attributes in Elements(answer.text).found:
        if tag == "style" or (tag == "script" and not (attributes.get("src") or "").startswith("/static/")):
            found.append(tag)
        if tag in ("iframe", "object", "embed", "base", "foreignobject"):
            found.append(tag)
        for name, value in attributes.items():
            if name.startswith("on") or name == "style":
                found.append(f"{tag} {name}")
            if name in ("href", "src", "action", "xlink:href") and not re.match(
                r"/(?!/)|#|\?|data:image/png;", value or ""
            ):
                found.append(f"{tag} {name}={value}")
    return found


def place(route: APIRoute) -> str:
    """An address of a route."""
    values = {
        "build_id": "hazmat", "workflow_id": "w", "number": "1", "page_number": "1", "code": "en", "case_id": "1",
        "task_id": "t-1", "execution": "e-1",
    }  # fmt: skip
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], route.path_format)


@pytest.fixture
def hostile(site: Site, built: Path) -> Iterator[str]:
    """A build in which every text that a document or a person gives is hostile; gives the id of its workflow."""
    folder = site.workspace.folder.parent / "hazmat"
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    summary["notices"] = [HOSTILE]
    summary["procedures"][0]["title"] = HOSTILE
    for entry in summary["documents"]:
        entry["reason"] = HOSTILE
    (folder / "summary.json").write_text(json.dumps(summary), "utf-8")
    for file in folder.glob("*/document.json"):
        document = json.loads(file.read_text("utf-8"))
        document["title"] = HOSTILE
        for block in document["blocks"]:
            block["text"] = f"{HOSTILE} {block.get('text', '')}"
            block.pop("label", None)
            for cell in block.get("cells", ()):
                cell["text"] = HOSTILE
        file.write_text(json.dumps(document), "utf-8")
    workflow = folder / summary["procedures"][0]["workflow"]
    told = json.loads(workflow.read_text("utf-8"))
    told["metadata"] |= {"title": HOSTILE, "owner": HOSTILE, "tags": [HOSTILE], "description": HOSTILE}
    for node in told["nodes"].values():
        node["label"] = HOSTILE
    for gap in told["gaps"]:
        gap["question"] = HOSTILE
    workflow.write_text(json.dumps(told), "utf-8")
    found, faults = read_workflow(workflow.read_bytes())
    assert found is not None, faults
    yield found.workflow_id


def test_no_script_of_a_document_runs(hostile: str, browser: Browsers) -> None:
    """Script in headings, titles, labels, questions, comments and the picture of the graph is text everywhere."""
    li, zhao = browser("li"), browser("zhao")
    assert li.send("/registry/submit", build="hazmat", workflow=hostile, owner=HOSTILE, tags=HOSTILE).status == 200
    assert li.send(f"/registry/{hostile}/v1/hand-in").status == 200
    assert zhao.send(f"/registry/{hostile}/v1/give-back", reason=HOSTILE).status == 200
    assert li.send("/registry/submit", build="hazmat", workflow=hostile).status == 200
    pages = [
        "/builds", "/builds/hazmat", "/builds/hazmat/documents/1", "/builds/hazmat/documents/2",
        "/builds/hazmat/documents/3", f"/drafts/hazmat/{hostile}",
        f"/drafts/hazmat/{hostile}/agreement", "/registry", f"/registry/{hostile}/v1",
        f"/registry/{hostile}/v1/definition", f"/registry/{hostile}/v1/changes?against=1",
    ]  # fmt: skip
    for address in pages:
        answer = li.get(address)
        assert answer.status == 200, address
        assert acting_markup(answer) == [], address
        if address not in ("/builds",) and "changes" not in address:
            assert html.escape("<script>alert(1)</script>") in answer.text, address


@pytest.mark.parametrize(
    "name", [f"{HOSTILE}.md", "<svg onload=alert(1)>.txt", "\u202egpj.exe.pdf", 'a";filename="b.md']
)
def test_names_of_files_are_cleaned(site: Site, browser: Browsers, name: str) -> None:
    """A name that is markup, turns writing round or breaks out of a header becomes a plain one."""
    cleaned = clean_name(name)
    assert not re.search(r"[<>\"\u202e/\\]", cleaned)
    li = browser("li")
    token = li.get("/builds").field("csrf")
    answer = Answer(
        li.client.post(
            "/builds", data={"csrf": token, "title": HOSTILE}, files=[("documents", (name, b"x"))], headers=ORIGIN
        )
    )
    assert acting_markup(answer) == []
    assert acting_markup(li.get("/builds")) == []


def test_an_svg_is_no_document_and_no_page(browser: Browsers) -> None:
    """A picture that could hold a script is not taken, and nothing that was uploaded is given back as it came."""
    li = browser("li")
    token = li.get("/builds").field("csrf")
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    answer = Answer(
        li.client.post(
            "/builds", data={"csrf": token}, files=[("documents", ("x.svg", svg, "image/svg+xml"))], headers=ORIGIN
        )
    )
    assert (answer.status, answer.code) == (400, "bad-form")
    assert "x.svg" not in li.get("/builds").text
    assert [route.path for route in ROUTES if route.path.endswith((".svg", "{file}", "{path:path}"))] == []


@pytest.mark.parametrize(
    "address", ["/", "/sign-in", "/builds", "/static/server.css", "/nothing", "/drafts/hazmat/none"]
)
def test_every_answer_has_the_headers(browser: Browsers, address: str) -> None:
    """Whatever it is: policy, no sniffing, no frames, nothing kept."""
    answer = browser("rui").get(address)
    assert answer.header("Content-Security-Policy") == POLICY
    assert "unsafe" not in POLICY and "script-src 'self'" in POLICY and "frame-ancestors 'none'" in POLICY
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.header("X-Frame-Options") == "DENY"
    assert answer.header("Cache-Control") in ("no-store", "private, max-age=300")


@pytest.mark.parametrize("route", [route for route in ACTS if route.path not in OPEN], ids=lambda route: route.path)
def test_no_act_without_the_token_of_the_session(site: Site, browser: Browsers, route: APIRoute) -> None:
    """Nothing is done by a form without a token, with that of another session, or from another site (CSRF)."""
    wen, other = browser("wen"), browser("both")
    own, foreign = wen.get("/registry").field("csrf"), other.get("/registry").field("csrf")
    assert own and foreign and own != foreign
    fields = {"reason": "x", "build": "hazmat", "workflow": "w"}
    files = [("documents", ("a.md", b"# a"))] if route.path == builds.UPLOADS else None
    before = count(site)
    for token, headers in (
        ("", ORIGIN), (foreign, ORIGIN), (own, {"Origin": "https://evil.example"}), (own, {"Origin": "null"}),
        (own, {**ORIGIN, "Sec-Fetch-Site": "cross-site"}), (own, {**ORIGIN, "Sec-Fetch-Site": "same-site"}),
        (own, {"Sec-Fetch-Site": "none"}), (own, {}),
    ):  # fmt: skip
        sent = wen.client.post(place(route), data={**fields, "csrf": token}, files=files, headers=headers)
        assert (sent.status_code, Answer(sent).code) == (403, "foreign-form"), (token, headers)
    assert count(site) == before
    assert wen.get("/builds").path == "/builds"


def count(site: Site) -> int:
    """The events of the audit."""
    with site.workspace.transaction() as connection:
        return sum(1 for _ in audit.events(connection))


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {}, {"Sec-Fetch-Site": "cross-site"}])
def test_nobody_is_signed_in_by_another_site(browser: Browsers, headers: dict[str, str]) -> None:
    """A page elsewhere cannot sign a browser in as somebody of its choice (login CSRF)."""
    found = browser(None)
    sent = found.client.post("/sign-in", data={"name": "li", "password": PASSWORD}, headers=headers)
    assert Answer(sent).code == "foreign-form"
    assert found.get("/builds").path == "/sign-in"


@pytest.mark.parametrize("route", [route for route in ROUTES if route.path not in OPEN], ids=lambda route: route.path)
def test_nothing_is_shown_or_done_without_signing_in(site: Site, browser: Browsers, route: APIRoute) -> None:
    """Every address of the application, those that come later too."""
    found, before = browser(None), count(site)
    if "POST" in route.methods:
        fields = {"csrf": "x", "reason": "x", "build": "hazmat", "workflow": "w"}
        files = [("documents", ("a.md", b"# a"))] if route.path == builds.UPLOADS else None
        sent = found.client.post(place(route), data=fields, files=files, headers=ORIGIN)
    else:
        sent = found.client.get(place(route), params={"against": "1"})
    assert sent.status_code == 401 or sent.url.path == "/sign-in"
    assert count(site) == before


def test_all_routes_are_looked_at(site: Site) -> None:
    """What the application offers is what the tests here go through, and styles and scripts."""
    offered = set(get_openapi(title="pages", version="1", routes=make_app(site).routes)["paths"])
    assert offered == {*(route.path_format for route in ROUTES), "/static/{name}"}


@pytest.mark.parametrize(
    "address",
    [
        "/static/..%2f..%2fapp.py", "/static/%2e%2e%2fapp.py", "/static/server.css%00.svg", "/static/../app.py",
        "/builds/..%2f..", "/builds/..", "/builds/%2e%2e", "/builds/..%2fkey.pem", "/builds/.flowc",
        "/builds/hazmat/documents/0", "/builds/hazmat/documents/99", "/builds/hazmat/documents/-1",
        "/builds/hazmat/documents/1/pages/1.png", "/builds/hazmat/documents/1/pages/..%2f1.png",
        "/drafts/..%2fhazmat/x", "/drafts/hazmat/..%2fsummary.json", "/registry/..%2fx/v1",
    ],
)  # fmt: skip
def test_no_way_out_of_the_folders(browser: Browsers, address: str) -> None:
    """Addresses that climb give a page that says that there is nothing, and no file."""
    answer = browser("wen").get(address)
    assert answer.status in (400, 404, 200)
    assert "BEGIN" not in answer.text and "import " not in answer.text
    assert answer.status != 200 or answer.path in ("/builds", "/")


def test_a_summary_does_not_lead_out_of_its_build(site: Site, browser: Browsers) -> None:
    """A build folder from elsewhere that names files outside of it is not followed there."""
    folder = site.workspace.folder.parent / "hazmat"
    outside = folder.parent / "outside.workflow.json"
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    outside.write_bytes((folder / summary["procedures"][0]["workflow"]).read_bytes())
    summary["procedures"][0]["workflow"] = "../outside.workflow.json"
    (folder / "summary.json").write_text(json.dumps(summary), "utf-8")
    answer = browser("rui").get("/builds/hazmat")
    assert "leads out of the build" in answer.text and "[bad-input-file]" in answer.text
    assert 'href="/drafts' not in answer.text


@pytest.mark.parametrize(
    "target",
    ["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)",
     "/\t/evil.example", "/%0d%0aSet-Cookie:x=1\r\nSet-Cookie: y=1", " //evil.example", ""],
)  # fmt: skip
def test_nobody_is_sent_elsewhere(browser: Browsers, target: str) -> None:
    """Neither after signing in nor after choosing a language (open redirects, headers)."""
    assert within(target) == "/"
    found = browser(None)
    found.client.follow_redirects = False
    assert found.client.get("/language/zh", params={"next": target}).headers["location"] == "/"
    sent = found.client.post("/sign-in", data={"name": "rui", "password": PASSWORD, "next": target}, headers=ORIGIN)
    assert (sent.status_code, sent.headers["location"]) == (303, "/")
    assert found.client.get("/sign-in", params={"next": target}).headers["location"] == "/"


@pytest.mark.parametrize("told", [True, False], ids=["with its length", "in pieces"])
def test_oversize_forms_are_refused(browser: Browsers, told: bool) -> None:
    """More than a form needs is not read, whether its length is told or not; the server goes on."""
    li = browser("li")
    pieces = (b"name=li&password=" + b"x" * FORM_BYTES for _ in range(2))
    body = b"".join(pieces) if told else pieces
    headers = {**ORIGIN, "Content-Type": "application/x-www-form-urlencoded"}
    sent = li.client.post("/sign-in", content=body, headers=headers)
    assert (sent.status_code, Answer(sent).code) == (413, "too-large")
    assert li.get("/builds").status == 200


def test_strangers_bring_no_documents(browser: Browsers) -> None:
    """What may be uploaded is large, so that only those who are signed in may send as much."""
    files = [("documents", ("a.md", b"x" * (FORM_BYTES + 1)))]
    sent = browser(None).client.post("/builds", data={"csrf": "x"}, files=files, headers=ORIGIN)
    assert sent.status_code == 413


def test_documents_have_their_limits(browser: Browsers) -> None:
    """In number and in size, all together; nothing of what was refused is left."""
    li = browser("li")
    token = li.get("/builds").field("csrf")
    for files, status in (
        ([("documents", (f"{number}.md", b"x")) for number in range(51)], 400),
        ([("documents", ("a.md", b"x" * (MOST_BYTES + 2 * FORM_BYTES)))], 413),
        ([("documents", ("a.exe", b"x"))], 400),
        ([("documents", ("", b""))], 400),
    ):
        sent = li.client.post("/builds", data={"csrf": token}, files=files, headers=ORIGIN)
        assert sent.status_code == status
    assert "<tr>" in li.get("/builds").text and "failed" not in li.get("/builds").text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8650", "127.0.0.1.evil.example", "192.168.1.5"])
def test_other_names_are_not_answered(browser: Browsers, host: str) -> None:
    """A name of somebody else's that leads to this machine (DNS rebinding)."""
    sent = browser("rui").client.get("/builds", headers={"Host": host})
    assert sent.status_code == 400
    assert "hazmat" not in sent.text


FORBIDDEN_ACTS = {
    **dict.fromkeys(
        ("rui", "ren", "oda", "guest", "bot"), ("submit", "upload", "hand-in", "give-back", "publish", "deprecate")
    ),
    "li": ("publish", "deprecate"),
    "zhao": ("submit", "upload"),
}


@pytest.mark.parametrize("name", FORBIDDEN_ACTS)
def test_nobody_acts_in_another_role(site: Site, browser: Browsers, hazmat: str, name: str) -> None:
    """Each act takes its role, whatever buttons the page showed; the refusal names it."""
    found, files = browser(name), [("documents", ("a.md", b"# a"))]
    fields = {"csrf": token_of(found), "build": "hazmat", "workflow": hazmat, "reason": "x", "accepted": "x"}
    before = count(site)
    for act in FORBIDDEN_ACTS[name]:
        state = {"hand-in": "draft", "deprecate": "published"}.get(act, "review")
        with site.workspace.transaction() as connection:
            connection.execute(VERSIONS.update().values(state=state))
        address = {"submit": "/registry/submit", "upload": "/builds"}.get(act, f"/registry/{hazmat}/v1/{act}")
        sent = Answer(found.client.post(address, data=fields, files=files if act == "upload" else None, headers=ORIGIN))
        assert (sent.status, sent.code) == (403, "not-allowed"), act
        assert "it takes the role" in sent.text
    assert count(site) == before


def token_of(browser: Browser) -> str:
    """The token of a session, which pages that may not be seen do not show: as somebody may have found it out."""
    found = re.search(r'name="csrf" value="([^"]+)"', browser.get("/nothing").text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", ["guest", "bot"])
def test_who_has_no_role_of_the_workspace_sees_nothing(browser: Browsers, name: str) -> None:
    """Nor does a program that calls what is published: it never sees how that is made."""
    found = browser(name)
    for address in ("/builds", "/builds/hazmat", "/builds/hazmat/documents/1", "/registry", "/runs", "/runs/e-1"):
        answer = found.get(address)
        assert (answer.status, answer.code) == (403, "not-allowed")


def test_faults_show_no_trace(site: Site, browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours says that it is one, and nothing of the source; the next request is answered."""
    rui = browser("rui")

    def broken(*_: object) -> None:
        raise RuntimeError("a secret of the source")

    monkeypatch.setattr(site.builds, "all", broken)
    answer = rui.get("/builds")
    assert (answer.status, answer.code) == (500, "internal-error")
    assert "secret" not in answer.text and "Traceback" not in answer.text
    monkeypatch.undo()
    assert rui.get("/builds").status == 200


def test_a_broken_build_costs_only_itself(site: Site, browser: Browsers) -> None:
    """A folder that does not hold what was written has a page that says so; others are shown."""
    other = site.builds.new(About(title="broken", by="li", at=now()))
    assert other.folder is not None
    other.out.mkdir()
    rui = browser("rui")
    for content in ("{", "[]", '{"clean": 1}', json.dumps({"documents": HOSTILE})):
        (other.out / "summary.json").write_text(content, "utf-8")
        answer = rui.get(f"/builds/{other.id}")
        assert (answer.status, answer.code) == (409, "bad-input-file")
        assert acting_markup(answer) == []
    assert rui.get("/builds").status == 200
    assert rui.get("/builds/hazmat").status == 200
