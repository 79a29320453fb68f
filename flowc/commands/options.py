"""Options that several commands share, and the settings that come of them."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.log_lines import LogForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from catalog.embedders.load import LoadedEmbedder
    from catalog.load import Catalog
    from compiler.build.configuration import Configuration

WORKFLOW_NAMES = "*.workflow.json, .yaml or .yml"
NOT_VALID = "has errors, and may not run like that; `flowc validate` shows what is wrong"
"""Said of a file whose runs are told though it has errors."""

CatalogFolder = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog",
        metavar="DIR",
        help="Folder of a catalog of Node Types, or builtin, which is the default; may be given several times.",
    ),
]
DomainName = Annotated[
    str | None, typer.Option("--domain", metavar="NAME", help="Only Node Types of this domain and those of any.")
]
Permissions = Annotated[
    list[str] | None,
    typer.Option(
        "--permission", metavar="NAME", help="Only Node Types that need no more than these; may be given several times."
    ),
]
PrimersFolder = Annotated[str | None, typer.Option("--primers", metavar="DIR", help="Folder of other primers.")]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="What search goes by: default, lexical, sentence-transformers:NAME, openai:MODEL or a folder.",
    ),
]

Offline = Annotated[bool, typer.Option("--offline", help="Use no model: compile from cue words.")]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Language model that reads the documents.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="Its endpoint, if not OpenAI's; key: OPENAI_API_KEY."),
]


class Revised(StrEnum):
    """How tracked changes of Word are read."""

    accepted = "accepted"
    original = "original"
    both = "both"


AsRevised = Annotated[
    Revised,
    typer.Option("--revisions", help="Tracked changes of Word: as if accepted, as if rejected, or both texts."),
]
Grace = Annotated[
    int,
    typer.Option(
        "--grace", metavar="SECONDS", min=1, max=3_600, help="How long what is under way may take once it is to end."
    ),
]
Log = Annotated[
    LogForm, typer.Option("--log", help="What is wrong as text, or all that happens as JSON, an object a line.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
WorkflowFile = Annotated[Path, typer.Argument(metavar="FILE", help="A workflow, JSON or YAML.")]


def settings(
    *,
    catalog: "Sequence[str] | None" = None,
    domain: str | None = None,
    permissions: "Sequence[str] | None" = None,
    primers: str | None = None,
    embedder: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    concurrency: int | None = None,
    quiet: bool = False,
    at: Path | None = None,
) -> "Configuration":
    """The settings that hold, from these flags and from all else; notices of them go to stderr.

    Args:
        at: the folder at or above which flowc.toml is looked for, as a workspace's; None for the working directory.

    Raises:
        BadSetting: one has no legal value.
    """
    import os

    from compiler.build.configuration import configure

    flags: dict[str, str | Sequence[str] | None] = {
        "catalog": catalog, "domain": domain, "permissions": permissions, "primers": primers, "embedder": embedder,
        "model": model, "base_url": base_url,
        "concurrency": None if concurrency is None else str(concurrency),
    }  # fmt: skip
    found = configure(flags, os.environ, at or Path.cwd())
    for notice in found.notices:
        if not quiet:
            terminal.print_notice(notice)
    return found


def loaded_catalog(configuration: "Configuration") -> "Catalog":
    """The catalog that the settings name.

    Raises:
        Stop: it is malformed.
    """
    from catalog.load import load_catalog
    from flowc.stopping import setup_faults

    with setup_faults(configuration):
        return load_catalog(*(configuration.items("catalog") or ()))


def loaded_embedder(configuration: "Configuration") -> "LoadedEmbedder":
    """The embedder that the settings name; where another had to take its place, stderr says so.

    Raises:
        Stop: there is none.
    """
    from catalog.embedders.load import load_embedder
    from flowc.stopping import setup_faults

    with setup_faults(configuration):
        loaded = load_embedder(
            configuration.text("embedder") or "default",
            base_url=configuration.text("base_url"),
            api_key=configuration.embedder_key(),
        )
    for notice in loaded.notices:
        terminal.print_notice(notice)
    return loaded
