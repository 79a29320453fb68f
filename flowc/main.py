"""The command `flowc`: its subcommands, and how it ends."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.catalog import catalog_app
from flowc.commands.compile import compile_command
from flowc.commands.config import config_command
from flowc.commands.diff import diff_command
from flowc.commands.evals import evals_app
from flowc.commands.mcp import mcp_command
from flowc.commands.parse import parse_command
from flowc.commands.primers import primers_app
from flowc.commands.reference import explain_code_command, schema_command
from flowc.commands.registry import registry_app
from flowc.commands.report import report_command
from flowc.commands.review import review_app
from flowc.commands.runs.run import run_app, task_app, worker_command
from flowc.commands.runs.webhooks import webhooks_app
from flowc.commands.serve import serve_command
from flowc.commands.testing import ask_command, judge_command, test_command
from flowc.commands.trace import trace_command
from flowc.commands.users.tokens import tokens_app
from flowc.commands.users.users import users_app
from flowc.commands.validate import validate_command
from flowc.commands.workflow import explain_command, graph_command
from flowc.commands.workspace import audit_app, workspace_app
from flowc.stopping import report

EXITS = (
    "Exit status: 0 nothing wrong; 1 findings, such as a draft with errors; 2 the command's words are off; "
    "3 the environment failed. Settings come from flags, then the environment (FLOWC_*, OPENAI_*), then flowc.toml; "
    "`flowc config` shows which won."
)

app = typer.Typer(
    name="flowc",
    help="Compile policy documents (PDF, Word, HTML) into workflow drafts that are validated and tied to their words.",
    epilog=EXITS,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help, which needs no rich and is the same in a pipe
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
app.command("compile", short_help="Compile documents into workflow drafts.")(compile_command)
app.command("parse", short_help="List the blocks of one document.")(parse_command)
app.command("trace", short_help="Follow words of a document to what they became.")(trace_command)
app.command("validate", short_help="Check workflows.")(validate_command)
app.command("explain", short_help="Say what a workflow can do, before a run.")(explain_command)
app.command("explain-code", short_help="Explain the code of a finding.")(explain_code_command)
app.command("diff", short_help="Say what changed from one version to another.")(diff_command)
app.command("test", short_help="Run the kept cases of workflows.")(test_command)
app.command("judge", short_help="Say that a case is right or wrong.")(judge_command)
app.command("ask", short_help="Ask how a run with some facts ends.")(ask_command)
app.command("graph", short_help="Draw a workflow.")(graph_command)
app.command("report", short_help="Report on a procedure for who reads no graphs.")(report_command)
app.command("schema", short_help="Print the JSON Schema of a form.")(schema_command)
app.add_typer(catalog_app)
app.add_typer(primers_app)
app.add_typer(review_app)
app.add_typer(evals_app)
app.add_typer(workspace_app)
app.add_typer(users_app)
app.add_typer(tokens_app)
app.add_typer(registry_app)
app.add_typer(run_app)
app.add_typer(task_app)
app.add_typer(webhooks_app)
app.add_typer(audit_app)
app.command("worker", short_help="Work on the executions of a workspace.")(worker_command)
app.command("serve", short_help="Work in a browser: builds, drafts, registry.")(serve_command)
app.command("mcp", short_help="Offer published workflows to an agent as tools.")(mcp_command)
app.command("config", short_help="Show the settings and what set them.")(config_command)


def _version(wanted: bool) -> None:
    if wanted:
        from ir.version import VERSION

        terminal.print_line(f"flowc {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: the words after `flowc`; None for those of this process.

    Returns:
        The exit status.
    """
    terminal.prepare()
    try:
        status = _run(arguments)
        return terminal.finish(status)
    except Exception as error:  # noqa: BLE001 - the last place that can say what went wrong
        return report(error)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        app(args=None if arguments is None else list(arguments), prog_name="flowc")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            return terminal.BROKEN_PIPE
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def run() -> None:
    """Run the command of this process and end it."""
    sys.exit(main())
