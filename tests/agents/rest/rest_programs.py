"""A server over the workspace of agents, and programs that come to it with tokens."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agent_plant import Plant
from starlette.testclient import TestClient

from server.app import make_app
from server.builds.compiling import Compiling
from server.builds.folders import Builds
from server.rest.described import PREFIX
from server.site import Site
from store.tokens import make_token
from store.users import SCOPES, add_user

ADDRESS = "http://127.0.0.1:8650"
PEOPLE = {"rui": ("reader",), "wang": ("安全总监",), "wu": ("仓储部",), "guest": ()}
DIRECTOR = "wang"


@dataclass(frozen=True)
class Program:
    """A program with a token."""

    client: TestClient
    headers: dict[str, str]

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """An answer as it came."""
        headers = {**self.headers, **more.pop("headers", {})}
        return self.client.request(method, PREFIX + path, headers=headers, **more)

    def get(self, path: str, **params: Any) -> Any:
        """What is told."""
        return told(self.ask("GET", path, params=params))

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """What is told of an act."""
        return told(self.ask("POST", path, json=body, headers=headers))

    def refused(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        """Status and code of a refusal, which says what to do."""
        answer = self.ask(method, path, json=body, headers=headers)
        return refusal(answer)


def told(answer: Any) -> Any:
    """The content of an answer that refuses nothing."""
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def refusal(answer: Any) -> tuple[int, str]:
    """Status and code of an answer that refuses."""
    content = answer.json()
    assert answer.status_code >= 400 and content.keys() == {"code", "message", "next"}, answer.text
    assert all(isinstance(one, str) and one for one in content.values())
    return answer.status_code, content["code"]


Programs = Callable[..., Program]


def site_over(plant: Plant, folder: Path) -> Site:
    """A server's site over a workspace."""
    return Site(plant.host, Builds(plant.host.workspace.folder, []), Compiling(folder))


@pytest.fixture
def site(plant: Plant, tmp_path: Path) -> Iterator[Site]:
    """The site, with people of further roles."""
    with plant.host.workspace.transaction() as connection:
        for name, roles in PEOPLE.items():
            add_user(connection, name, frozenset(roles), "wen")
    found = site_over(plant, tmp_path)
    yield found
    found.compiling.close()


@pytest.fixture
def program(site: Site) -> Iterator[Programs]:
    """Makes a program of a user."""
    opened = []

    def make(
        name: str | None, scopes: Sequence[str] = SCOPES, workflows: Sequence[str] = ("*",), over: Site = site
    ) -> Program:
        client = TestClient(make_app(over), base_url=ADDRESS, raise_server_exceptions=False)
        opened.append(client)
        if name is None:
            return Program(client, {})
        with over.workspace.transaction() as connection:
            text, _ = make_token(connection, name, scopes, workflows, 1, "wen")
        return Program(client, {"Authorization": f"Bearer {text}"})

    yield make
    for client in opened:
        client.close()


@pytest.fixture
def until(plant: Plant) -> Callable[..., Any]:
    """Waits until a run stands in one of some states, as a program sees it."""

    def wait(who: Program, run: str, *states: str) -> Any:
        import time

        end = time.monotonic() + 20
        while time.monotonic() < end:
            found = who.get(f"/runs/{run}")
            if found["state"] in states:
                return found
            time.sleep(0.05)
        pytest.fail(f"{run} is {found['state']}, and was to be {states}")

    return wait
