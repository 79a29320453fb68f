"""A server over a workspace with people of every role, and a build whose documents try to act on the page."""

import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from llm.choice import ModelChoice
from registry.versions import submit
from runtime.executors.registry import executors_from
from runtime.host import Host
from server.app import make_app
from server.builds.compiling import Compiling
from server.builds.folders import Builds
from server.site import Site
from store.users import add_user, set_password
from store.workspace import DATABASE, FOLDER, Workspace, make_workspace

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
PASSWORD = "three old horses"
PEOPLE = {
    "wen": (), "li": ("author",), "zhao": ("approver",), "rui": ("reader",), "ren": ("reviewer",), "oda": ("operator",),
    "bot": ("agent",), "guest": (), "both": ("author", "approver"),
}  # fmt: skip
CHROMIUM = Path("/usr/bin/chromium")
GRAVE = ("serious", "critical")
ADDRESS = "http://127.0.0.1:8650"
ORIGIN = {"Origin": ADDRESS}


@dataclass(frozen=True)
class Browser:
    """Somebody's browser: keeps cookies, and sends forms as pages of the server do."""

    client: TestClient

    def get(self, address: str, **more: Any) -> "Answer":
        """Open an address; redirections are followed."""
        return Answer(self.client.get(address, **more))

    def send(self, address: str, page: str = "/registry", **fields: object) -> "Answer":
        """Send a form with the token of a page."""
        token = self.get(page).field("csrf")
        return Answer(self.client.post(address, data={"csrf": token, **fields}, headers=ORIGIN))

    def cookie(self, name: str) -> str:
        """A cookie that the server gave."""
        return str(self.client.cookies[name])

    def put_cookie(self, name: str, value: str) -> None:
        """Have nothing but one cookie, as the server would give it."""
        self.client.cookies.clear()
        self.client.cookies.set(name, value, domain="127.0.0.1", path="/")

    def sign_in(self, name: str, password: str = PASSWORD, target: str = "/") -> "Answer":
        """Sign in as somebody."""
        fields = {"name": name, "password": password, "next": target}
        return Answer(self.client.post("/sign-in", data=fields, headers=ORIGIN))


@dataclass(frozen=True)
class Answer:
    """What came back."""

    response: Any

    @property
    def status(self) -> int:
        """The status of the last answer."""
        return int(self.response.status_code)

    @property
    def text(self) -> str:
        """The page."""
        return str(self.response.text)

    @property
    def path(self) -> str:
        """Where the browser came to."""
        return str(self.response.url.path)

    @property
    def code(self) -> str:
        """The code of the fault that the page tells."""
        found = re.search(r"<code>([a-z-]+)</code></p>", self.text)
        return found[1] if found else ""

    def header(self, name: str) -> str:
        """A header of the answer."""
        return str(self.response.headers.get(name, ""))

    def field(self, name: str) -> str:
        """The value of a hidden field."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.text)
        return unescape(found[1]) if found else ""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first case as compiled from the recorded answers."""
    out = tmp_path_factory.mktemp("built") / "out"
    settings = Settings(model=ModelChoice(replay=CASE / "replies"))
    write_build(compile_documents(CASE / "documents", settings), out)
    return out


@pytest.fixture(scope="session")
def kept_password() -> str:
    """The hash of everybody's password, of little cost, so that signing in takes no time."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


@pytest.fixture(scope="session")
def plant(tmp_path_factory: pytest.TempPathFactory, built: Path, kept_password: str) -> Path:
    """A workspace with people of every role, and the first case beside it; to be copied."""
    root = tmp_path_factory.mktemp("plant")
    workspace = make_workspace(root)
    with workspace.transaction() as connection:
        for name, roles in PEOPLE.items():
            add_user(connection, name, frozenset(roles), "wen")
            set_password(connection, name, kept_password, "wen")
    workspace.database.close()
    shutil.copytree(built, root / "hazmat")
    return root


@pytest.fixture
def site(tmp_path: Path, plant: Path) -> Iterator[Site]:
    """A workspace with people, and the first case among its builds."""
    shutil.copytree(plant, tmp_path, dirs_exist_ok=True)
    workspace = Workspace(tmp_path / FOLDER, f"sqlite:///{tmp_path / FOLDER / DATABASE}")
    catalog = load_catalog()
    host = Host(workspace, catalog, executors_from({}, root=tmp_path, types=catalog.node_types))
    compiling = Compiling(tmp_path)
    yield Site(host, Builds(workspace.folder, [tmp_path / "hazmat"]), compiling)
    compiling.close()
    workspace.database.close()


Browsers = Callable[[str | None], Browser]


@pytest.fixture
def browser(site: Site) -> Iterator[Browsers]:
    """Opens a browser, with somebody signed in or nobody."""
    app, opened = make_app(site), []

    def open_browser(name: str | None = None) -> Browser:
        client = TestClient(app, base_url=ADDRESS, raise_server_exceptions=False)
        opened.append(client)
        found = Browser(client)
        if name is not None:
            assert found.sign_in(name).path != "/sign-in"
        return found

    yield open_browser
    for client in opened:
        client.close()


@pytest.fixture
def hazmat(site: Site) -> str:
    """The id of the workflow of the first case, which li submitted."""
    made = site.builds.build("hazmat").read()
    workflow = made.workflow(made.drafts[0])
    questions = tuple(gap.id for gap in workflow.gaps)
    li, catalog = site.workspace.user("li"), site.host.catalog
    submit(site.workspace, li, workflow, catalog, "0.1", open_questions=questions)
    return workflow.workflow_id


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A port of this machine, for a server; what is told before it serves may name it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken


@pytest.fixture
def address(site: Site, listening: socket.socket) -> Iterator[str]:
    """A server that listens."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(make_app(site), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    yield address_of(listening)
    server.should_exit = True
    thread.join(10)


def address_of(listening: socket.socket) -> str:
    """Where a server is reached that has a port."""
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def chromium() -> Iterator[Any]:
    """Debian's Chromium; the test is skipped where it is not, except in CI."""
    if not CHROMIUM.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"{CHROMIUM} is missing; .ci/run installs it")
        pytest.skip(f"needs {CHROMIUM} (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield started
        started.close()


class Person:
    """Somebody with a browser; what the page's console or policy complains of is kept.

    Args:
        language: that the browser asks for.
    """

    def __init__(self, chromium: Any, address: str, language: str) -> None:
        self.page, self.address = chromium.new_context(locale=language).new_page(), address
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda told: self.faults.append(told.text) if "Security Policy" in told.text else None)

    def open(self, path: str, *, known: bool = False) -> None:
        """Go to a page, and hold it against axe-core's rules unless it is known."""
        self.page.goto(self.address + path)
        if not known:
            self.hold()

    def hold(self) -> None:
        """Note what axe finds on the page that is serious or critical."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        self.faults += [
            f"{self.page.url}: {one['id']} {one['nodes'][0]['target']}" for one in found if one["impact"] in GRAVE
        ]

    def sign_in(self, name: str) -> None:
        """Fill in the form, and send it."""
        self.page.fill("input[name=name]", name)
        self.page.fill("input[name=password]", PASSWORD)
        self.press("form[action='/sign-in'] button")

    def press(self, selector: str) -> None:
        """Send a form or follow a link; the page that comes is held as well."""
        with self.page.expect_navigation():
            self.page.click(selector)
        self.hold()
