"""`flowc serve` and `flowc users password` on the command line."""

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from flowc.commands.runs.running import open_host
from flowc.commands.serve import telling_pages
from flowc.main import main
from runtime.errors import WorkerRunning
from runtime.worker import only_worker
from store.passwords import matches
from store.tokens import make_token
from store.users import AGENT, READ, add_user, password_of
from store.workspace import make_workspace


@contextmanager
def serving(folder: Path, *words: str, until: str) -> Iterator[tuple[str, str]]:
    """A server as it is started; gives its address and all that it said until the last line it says."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
    root = str(Path(__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, "-m", "flowc", "serve", "--port", "0", *words], cwd=folder, text=True,
        env={**environment, "PYTHONPATH": root}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if until in line:
                break
        else:
            pytest.fail(said + process.stderr.read())
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found is not None
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                httpx.get(found[0] + "/sign-in")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield found[0], said
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)
        process.stdout.close()
        process.stderr.close()


@pytest.mark.slow
def test_the_demo_opens_on_its_draft_and_goes_to_its_end(tmp_path: Path) -> None:
    """With nothing configured: it is published, and a run done by hand; who follows one does not hold the server."""
    with (
        ExitStack() as left_open,
        serving(tmp_path, "--demo", "--workspace", "plant", until="as zhao") as (address, said),
    ):
        people = dict(re.findall(r"as (\w+) with the password (\S+):", said))
        assert people.keys() == {"li", "zhao"}
        for name, password in people.items():
            with httpx.Client(
                base_url=address, follow_redirects=True, headers={"Origin": address}, timeout=60
            ) as client:  # fmt: skip
                shown = client.post("/sign-in", data={"name": name, "password": password})
                assert shown.status_code == 200 and shown.url.path.startswith("/drafts/")
                assert "危险化学品运输前合规判定" in shown.text and "第一条" in shown.text
                listed = client.get(f"/builds/{shown.url.path.split('/')[2]}/documents/2")
                assert "/pages/1.png" in listed.text
        version = _run_demo(address, people)
        li = left_open.enter_context(httpx.Client(base_url=address, follow_redirects=True, headers={"Origin": address}))
        li.post("/sign-in", data={"name": "li", "password": people["li"]}, timeout=60)
        run = _sent(li, f"{version}/start", key="1" * 16, ask="true").url.path
        stream = left_open.enter_context(li.stream("GET", f"{run}/events", timeout=60))
        assert "event: run" in next(stream.iter_lines())
    assert (tmp_path / "plant" / ".flowc" / "workspace.db").is_file()


def _run_demo(address: str, people: dict[str, str]) -> str:
    """Publish the draft, begin a run, and do its tasks until it ends; gives the place of the version."""
    with (
        httpx.Client(base_url=address, follow_redirects=True, headers={"Origin": address}, timeout=60) as li,
        httpx.Client(base_url=address, follow_redirects=True, headers={"Origin": address}, timeout=60) as zhao,
    ):
        for client, name in ((li, "li"), (zhao, "zhao")):
            draft = client.post("/sign-in", data={"name": name, "password": people[name]}).url.path
        _, _, build, workflow = draft.split("/")
        version = _sent(li, "/registry/submit", build=build, workflow=workflow).url.path
        _sent(li, f"{version}/hand-in")
        types = re.findall(r'name="people" value="([^"]+)"', zhao.get(version).text)
        assert "state-published" in _sent(zhao, f"{version}/publish", accepted="asked", people=types).text
        inputs = {"substance_name": "硫酸", "transport_mode": "公路", "quantity": "5000", "shipment_id": "SHIP-1"}
        run = _sent(li, f"{version}/start", key="0" * 16, **{f"field/{name}": text for name, text in inputs.items()})
        end = time.monotonic() + 90
        while 'data-ended="true"' not in (told := li.get(run.url.path).text):
            assert time.monotonic() < end, told
            for client in (li, zhao):
                for task in re.findall(r'href="(/tasks/t-\w+)"', client.get("/tasks?which=claimable").text):
                    _sent(client, f"{task}/answer", **_filled_in(client.get(task).text))
            time.sleep(0.2)
        assert "run-completed" in told
        return version


def _sent(client: httpx.Client, place: str, **fields: str | list[str]) -> httpx.Response:
    """What comes of a form, sent with the session's token."""
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/registry").text)
    assert token is not None
    return client.post(place, data={"csrf": token[1], **fields})


def _filled_in(page: str) -> dict[str, str]:
    """The form of a task, filled in: the first of each choice, else a text."""
    choices = re.findall(r'type="radio" name="([^"]+)" value="([^"]+)"', page)
    texts = re.findall(r'(?:input|textarea) id="([^"]+)"[^>]*type="text"', page) + re.findall(
        r'textarea id="([^"]+)"', page
    )
    found = {name: "7664-93-9" if "cas" in name else "x" for name in texts} | dict(reversed(choices))
    shown = re.search(r'name="shown" value="([^"]*)"', page)
    return found | ({"shown": shown[1], "field/approved": "true"} if shown and 'value="false">' in page else {})


@pytest.mark.parametrize(("words", "works"), [([], True), (["--no-worker"], False)])
def test_the_server_carries_runs_out_unless_told_not_to(
    words: list[str], works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process is told that somebody does, as long as it serves; with --no-worker nobody does."""
    make_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    held = []

    def serve(*_: object) -> None:
        try:
            with only_worker(tmp_path / ".flowc"):
                held.append(False)
        except WorkerRunning:
            held.append(True)

    monkeypatch.setattr("flowc.commands.serve._serve", serve)
    assert main(["serve", "--port", "0", *words]) == 0
    with only_worker(tmp_path / ".flowc"):
        assert held == [works]


def test_another_worker_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Where another process carries runs out, the server serves without doing so, and says that."""
    make_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("flowc.commands.serve._serve", lambda *_: None)
    with only_worker(tmp_path / ".flowc"):
        assert main(["serve", "--port", "0"]) == 0
    assert "another process carries out the runs" in capsys.readouterr().err


def test_agents_are_told_of_the_pages_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the server's address, unless the installation names another."""
    make_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    host = open_host(tmp_path)
    there = telling_pages(host, "http://127.0.0.1:8650")
    assert there.agency.address == "http://127.0.0.1:8650/tasks/{task}"
    named = replace(host, agency=replace(host.agency, address="https://desk.example.org/{task}"))
    assert telling_pages(named, "http://127.0.0.1:8650").agency.address == "https://desk.example.org/{task}"


def test_the_first_password_is_set_at_the_printed_address(tmp_path: Path) -> None:
    """A workspace is made where there is none; a folder that was named is shown first, and nothing else answers."""
    with serving(tmp_path, until="/setup?token=") as (address, said):
        token = said.strip().rpartition("token=")[2]
        assert httpx.get(f"{address}/setup", params={"token": "x"}).status_code == 403
        assert httpx.get(f"{address}/setup", params={"token": token}).status_code == 200
        assert httpx.get(f"{address}/sign-in", headers={"Host": "evil.example"}).status_code == 400
    assert (tmp_path / ".flowc").is_dir()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "--allow-remote"),
        (["--host", "192.0.2.1"], "--allow-remote"),
        (["--host", "0.0.0.0", "--allow-remote"], "--name"),
        (["--name", "flowc.example.org"], "--allow-remote"),
        (["nowhere"], "nowhere"),
        (["--demo", "."], "--demo shows the first case"),
    ],
)
def test_others_are_let_in_only_where_that_is_said(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What opens the server to other machines takes two words more; nothing is made before."""
    monkeypatch.chdir(tmp_path)
    assert main(["serve", *words]) == 2
    assert told in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_no_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Is refused by its name before a workspace is made."""
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "."]) == 3
    assert "[build-unreadable]: . is no build" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


def test_a_port_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Is told, with another way."""
    import socket

    monkeypatch.chdir(tmp_path)
    make_workspace(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "name another with --port" in capsys.readouterr().err


def test_passwords_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """By the owner for anybody, by others for themselves; read from standard input, never from the command's words."""
    workspace = make_workspace(tmp_path)
    with workspace.transaction() as connection:
        for name in ("wen", "li"):
            add_user(connection, name, frozenset(), "wen")
    monkeypatch.chdir(tmp_path)

    def given(text: str, *words: str) -> int:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return main(["users", "password", *words, "--stdin"])

    assert given("three old horses\n", "li", "--as", "wen") == 0
    assert given("four old horses\n", "li", "--as", "li") == 0
    assert given("five old horses\n", "wen", "--as", "li") == 1
    assert given("short\n", "li", "--as", "li") == 2
    assert given("three old horses\n", "nobody", "--as", "wen") == 2
    said = capsys.readouterr()
    assert "bad-password" in said.err and "unknown-user" in said.err and "horses" not in said.out + said.err
    with workspace.transaction() as connection:
        assert matches("four old horses", password_of(connection, "li"))
        assert password_of(connection, "wen") is None


def test_progress_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """With FLOWC_PROGRESS=json a line for each stage, on stderr; with --quiet none."""
    (tmp_path / "a.md").write_text("# 办法\n\n第一条 员工应当提交申请。\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOWC_PROGRESS", "json")
    assert main(["compile", "a.md", "-o", "out", "--offline"]) == 0
    told = capsys.readouterr().err
    assert re.search(r'^{"stage": "write", "done": 1, "total": \d}$', told, re.MULTILINE)
    assert main(["compile", "a.md", "-o", "out", "--offline", "--quiet"]) == 0
    assert "stage" not in capsys.readouterr().err


@pytest.mark.slow
def test_agents_are_served_and_do_not_keep_it_from_ending(tmp_path: Path) -> None:
    """By their tokens, at `/mcp`; a client that listens when the server is told to end is let go within seconds."""
    workspace = make_workspace(tmp_path)
    with workspace.transaction() as connection:
        add_user(connection, "wen", frozenset(), "wen")
        add_user(connection, "bot", frozenset({AGENT}), "wen")
        token, _ = make_token(connection, "bot", (READ,), ("*",), 1, "wen")
    workspace.database.close()
    version = "2026-07-28"
    meta = {f"io.modelcontextprotocol/{name}": given for name, given in
            (("protocolVersion", version), ("clientCapabilities", {}))}  # fmt: skip
    body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
            "params": {"_meta": meta, "notifications": {"toolsListChanged": True}}}  # fmt: skip
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": version, "Mcp-Method": "subscriptions/listen"}  # fmt: skip
    with httpx.Client(timeout=30, headers=headers) as client:
        with serving(tmp_path, until="serves") as (address, _):
            assert httpx.post(f"{address}/mcp", json=body).status_code == 401
            listening = client.stream("POST", f"{address}/mcp", json=body)
            assert "acknowledged" in next(listening.__enter__().iter_text())
            asked = time.monotonic()
        assert time.monotonic() - asked < 20
