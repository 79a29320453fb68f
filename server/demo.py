"""What `flowc serve --demo` shows: the first case as it was compiled, in a workspace with two people."""

import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ir.errors import CompilerError
from server.builds.compiling import Compiling
from server.builds.folders import About, Builds
from store.clock import now
from store.passwords import hashed
from store.users import APPROVER, AUTHOR, OPERATOR, OWNER, REVIEWER, add_user, set_password
from store.workspace import Workspace, make_workspace

TITLE = "危险化学品运输 · Hazardous transport"
PEOPLE = (
    ("li", (AUTHOR, OPERATOR, "物流部"), "compiles documents, submits drafts, starts runs"),
    (
        "zhao",
        (REVIEWER, APPROVER, "安全总监", "安全环保部"),
        "reviews, publishes what somebody else submitted, approves",
    ),
)


class BrokenDemo(CompilerError):  # noqa: N818 - named for the fault
    """The first case is not among the installed files, or cannot be compiled."""

    code = "broken-install"


@dataclass(frozen=True)
class Demo:
    """A workspace to look at.

    Args:
        folder: that it stands in.
        people: who may sign in, with which password, to do what.
        first: the address of its draft.
    """

    folder: Path
    people: tuple[tuple[str, str, str], ...]
    first: str


def make_demo(folder: Path | None) -> Demo:
    """Make a workspace with the first case compiled from the recorded answers of a model.

    Args:
        folder: where; None for a new folder for temporary files, which stays until somebody takes it away.

    Raises:
        WorkspaceExists: the folder has a workspace.
        BrokenDemo: the case is not installed, or was not compiled.
    """
    case = _case()
    root = (folder or Path(tempfile.mkdtemp(prefix="flowc-demo-"))).resolve()
    workspace = make_workspace(root)
    people = _people(workspace)
    builds = Builds(workspace.folder)
    build = builds.new(About(title=TITLE, by=PEOPLE[0][0], at=now(), model=True))
    assert build.documents is not None
    shutil.copytree(case / "documents", build.documents, dirs_exist_ok=True)
    compiling = Compiling(root)
    compiling.make(build, "--replay", str(case / "replies"))
    compiling.close()
    if not build.is_made:
        raise BrokenDemo(f"the first case was not compiled: {build.ended.message if build.ended else 'it was ended'}")
    made = build.read()
    return Demo(root, people, f"/drafts/{build.id}/{made.workflow(made.drafts[0]).workflow_id}")


def _people(workspace: Workspace) -> tuple[tuple[str, str, str], ...]:
    """Two people with passwords that nobody guesses, beside an owner who has none."""
    made = []
    with workspace.transaction() as connection:
        add_user(connection, OWNER, frozenset(), OWNER)
        for name, roles, what in PEOPLE:
            password = secrets.token_urlsafe(9)
            add_user(connection, name, frozenset(roles), OWNER)
            set_password(connection, name, hashed(password), OWNER)
            made.append((name, password, what))
    return tuple(made)


def _case() -> Path:
    """The documents of the first case and the answers that were recorded for them."""
    package = Path(__file__).resolve().parent
    for found in (package / "case", package.parent / "fixtures" / "cases" / "hazmat-transport"):
        if (found / "documents").is_dir() and (found / "replies").is_dir():
            return found
    raise BrokenDemo("the documents of the demo are missing from this installation; install flowc again")
