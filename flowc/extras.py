"""What a command needs beside flowc itself, and which extra brings it."""

from collections.abc import Sequence
from importlib.util import find_spec

from flowc.stopping import ENVIRONMENT, Stop

RUN = ("alembic", "cryptography", "dbos", "httpx", "rfc8785", "sqlalchemy")
SERVE = ("argon2", "fastapi", "jinja2", "krippendorff", "mcp", "python_multipart", "uvicorn")


def need_running() -> None:
    """Stop where what runs workflows is not installed; see `need`."""
    need("running workflows", "run", RUN)


def need_serving() -> None:
    """Stop where what serves is not installed; see `need`."""
    need("the server", "serve", (*RUN, *SERVE))


def need_agents() -> None:
    """Stop where what agents are served by is not installed; see `need`."""
    need("serving agents", "run,mcp", (*RUN, "mcp"))


def need(what: str, extra: str, modules: Sequence[str]) -> None:
    """Stop where modules are not installed.

    Args:
        what: that needs them, as the message begins.
        extra: that brings all of them.

    Raises:
        Stop: with what to install.
    """
    missing = ", ".join(name for name in modules if not find_spec(name))
    if missing:
        message = f"{what} needs more ({missing}); install it: pip install 'flowc[{extra}]'"
        raise Stop(message, "missing-extra", ENVIRONMENT)
