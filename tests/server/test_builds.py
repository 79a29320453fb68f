"""Builds in the browser: uploaded, compiled in processes of their own, shown; what breaks one breaks nothing else."""

import os
import signal
import time
from pathlib import Path

import pytest
from conftest import ORIGIN, Answer, Browser, Browsers

from server.builds import compiling
from server.builds.compiling import Compiling, Stage, stage
from server.builds.folders import About, BuildFolder, Builds
from server.builds.uploads import clean_name, keep_documents
from server.errors import BuildUnreadable
from server.site import Site
from store import audit
from store.clock import now

POLICY = """# 费用报销办法

第一条 员工应当在费用发生后三十日内提交报销申请。

第二条 财务部应当核对发票。金额超过5000元的，由财务总监审批；否则由部门经理审批。
"""


def upload(browser: Browser, *files: tuple[str, bytes], **fields: str) -> Answer:
    """Send documents to be compiled."""
    token = browser.get("/builds").field("csrf")
    sent = [("documents", one) for one in files]
    return Answer(browser.client.post("/builds", data={"csrf": token, **fields}, files=sent, headers=ORIGIN))


def ended(site: Site, build: BuildFolder) -> str:
    """The state of a build once nothing goes on."""
    end = time.monotonic() + 60
    while (state := site.compiling.state(build)) in ("waiting", "running") and time.monotonic() < end:
        time.sleep(0.05)
    return state


def test_documents_become_drafts(site: Site, browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploaded, compiled, shown: with who, documents as they were read, the drafts; though a build before it died."""
    li = browser("li")
    monkeypatch.setattr(compiling.sys, "executable", str(dying(site.workspace.folder.parent)))
    dead = site.builds.build(upload(li, ("a.md", POLICY.encode())).path.rpartition("/")[2])
    assert ended(site, dead) == "failed"
    monkeypatch.undo()
    shown = li.get(f"/builds/{dead.id}").text
    assert f"signal {signal.SIGKILL}" in shown and 'role="alert"' in shown
    answer = upload(li, ("费用报销办法.md", POLICY.encode()), ("empty.txt", b""), title="报销")
    build = site.builds.build(answer.path.rpartition("/")[2])
    assert (build.documents / "费用报销办法.md").read_text("utf-8") == POLICY
    assert ended(site, build) == "done"
    shown = li.get(answer.path).text
    assert "报销" in shown and "费用报销办法.md" in shown
    assert "<code>empty-document</code>" in shown
    assert "empty-document" in li.get(f"{answer.path}/documents/{place_of(build, 'empty.txt')}").text
    assert "财务部应当核对发票" in li.get(f"{answer.path}/documents/{place_of(build, '费用报销办法.md')}").text
    draft = build.read().workflow(build.read().drafts[0]).workflow_id
    assert li.get(f"/drafts/{build.id}/{draft}").status == 200
    assert li.get(f"/drafts/{build.id}/none").code == "unknown-place"
    with site.workspace.transaction() as connection:
        began = [one for one in audit.events(connection) if one.kind == "build-began"]
    assert [(one.principal, one.body["build"]) for one in began] == [
        ("li", dead.id), ("li", build.id),
    ]  # fmt: skip


def place_of(build: BuildFolder, name: str) -> int:
    """The place of a document in its build."""
    return [one.document for one in build.read().documents].index(name) + 1


def dying(folder: Path) -> Path:
    """A program that kills itself."""
    file = folder / "dying"
    file.write_text("#!/bin/sh\nkill -9 $$\n", "utf-8")
    file.chmod(0o700)
    return file


def test_what_a_build_says_last_is_shown_with_its_code(site: Site, browser: Browsers) -> None:
    """A setting of the workspace that is wrong fails the build with the words of the command."""
    (site.workspace.folder.parent / "flowc.toml").write_text('catalog = ["nowhere"]\n', "utf-8")
    li = browser("li")
    build = site.builds.build(upload(li, ("a.md", POLICY.encode())).path.rpartition("/")[2])
    assert ended(site, build) == "failed"
    assert build.ended is not None and build.ended.status == 2
    assert "nowhere" in build.ended.message and build.ended.message.endswith("]")
    assert "nowhere" in li.get(f"/builds/{build.id}").text


def test_progress_is_polled_until_it_ends(site: Site, browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page asks again each second; what it is given is the stage, and at the end that it is to load itself anew."""
    rui = browser("rui")
    build = site.builds.new(About(title="x", by="li", at=now()))
    assert build.folder is not None
    (build.folder / "compile.log").write_text('note: x\n{"stage": "compile", "done": 1, "total": 3}\n', "utf-8")
    assert stage(build) == Stage("compile", 1, 3)
    states = {build.id: "running"}
    monkeypatch.setattr(site.compiling, "_states", states)
    page = rui.get(f"/builds/{build.id}")
    assert f'hx-get="/builds/{build.id}/progress"' in page.text and "1 / 3" in page.text
    part = rui.get(f"/builds/{build.id}/progress")
    assert part.text.startswith('<div id="progress"') and "1 / 3" in part.text
    states.clear()
    assert rui.get(f"/builds/{build.id}/progress").header("HX-Refresh") == "true"
    answer = browser(None).client.get(f"/builds/{build.id}/progress", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"].partition("?")[0]) == (401, "/sign-in")


def test_a_build_of_a_server_that_ended_is_stopped(site: Site, browser: Browsers) -> None:
    """Nothing says that it is being made for ever."""
    build = site.builds.new(About(title="x", by="li", at=now()))
    assert site.compiling.state(build) == "stopped"
    assert "build-stopped" in browser("rui").get(f"/builds/{build.id}").text


def test_too_many_wait(site: Site, browser: Browsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a few at a time are refused, and nothing of what was uploaded is kept."""
    monkeypatch.setattr(site.compiling, "_states", {str(number): "waiting" for number in range(9)})
    refused = upload(browser("li"), ("a.md", POLICY.encode()))
    assert (refused.status, refused.code) == (503, "busy")
    assert [*site.builds.root.iterdir()] == []


def test_no_model_is_asked_that_nobody_named(browser: Browsers) -> None:
    """A form that asks for one is refused where none is configured."""
    refused = upload(browser("li"), ("a.md", POLICY.encode()), reader="model")
    assert (refused.status, refused.code) == (400, "bad-form")


def test_the_server_that_ends_ends_its_build(tmp_path: Path) -> None:
    """The process of the build does not outlive it."""
    builds, made = Builds(tmp_path), Compiling(tmp_path)
    build = builds.new(About(title="x", by="li", at=now()))
    assert build.documents is not None
    (build.documents / "a.md").write_text(POLICY, "utf-8")
    made.begin(build, "--offline")
    end = time.monotonic() + 20
    while made._process is None and time.monotonic() < end:
        time.sleep(0.01)
    process = made._process
    assert process is not None
    made.close()
    assert process.poll() is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_pages_of_a_pdf_are_drawn(site: Site, browser: Browsers, repository: Path) -> None:
    """With the boxes of their blocks; of a build whose documents are elsewhere the text is shown alone."""
    rui = browser("rui")
    number = place_of(site.builds.build("hazmat"), "危险化学品运输管理制度.pdf")
    assert "<image" not in rui.get(f"/builds/hazmat/documents/{number}").text
    own = site.builds.new(About(title="own", by="li", at=now()))
    assert own.documents is not None
    site.builds.build("hazmat").out.rename(own.out)
    for file in (repository / "fixtures" / "cases" / "hazmat-transport" / "documents").iterdir():
        (own.documents / file.name).write_bytes(file.read_bytes())
    address = f"/builds/{own.id}/documents/{number}"
    assert rui.get(f"{address}/pages/1.png").code == "unknown-place"
    shown = rui.get(address).text
    assert f'<image href="{address}/pages/1.png"' in shown and 'class="box k-heading"' in shown
    picture = rui.client.get(f"{address}/pages/5.png")
    assert picture.headers["content-type"] == "image/png" and picture.content.startswith(b"\x89PNG")
    (own.documents / "危险化学品运输管理制度.pdf").write_bytes(b"%PDF-1.7 broken")
    assert rui.get(f"{address}?first=3").status == 200


def test_folders_that_are_no_builds_are_refused(tmp_path: Path, built: Path) -> None:
    """With what is missing; two of one name are told apart."""
    with pytest.raises(BuildUnreadable, match=r"summary\.json"):
        Builds(tmp_path, [tmp_path])
    found = Builds(tmp_path, [built, built])
    assert [*found.named] == ["out", "out-2"]


def test_names_are_told_apart(tmp_path: Path) -> None:
    """Documents of one name, whatever its case, stand beside each other; names of systems are no names."""
    from io import BytesIO

    files = [("a/Rules.md", BytesIO(b"1"), 1), ("b/rules.MD", BytesIO(b"2"), 1), ("rules.md", BytesIO(b"3"), 1)]
    assert keep_documents(files, tmp_path) == ("Rules.md", "rules-2.md", "rules-3.md")
    assert [(tmp_path / name).read_bytes() for name in ("Rules.md", "rules-2.md", "rules-3.md")] == [b"1", b"2", b"3"]
    assert clean_name("con.txt") == "con_.txt"
