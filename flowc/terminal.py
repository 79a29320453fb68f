"""What goes to the person: results on stdout, notices and progress on stderr, colour only where it is seen."""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TextIO

Progress = Callable[[str, int, int], None]
Colour = Literal["red", "yellow", "blue", "green", "cyan", "dim", "bold"]
BROKEN_PIPE = 141
"""Exit status where the reader of our output went away: what a shell reports for SIGPIPE."""
_CODES: dict[Colour, str] = {
    "red": "1;31",
    "yellow": "33",
    "blue": "34",
    "green": "32",
    "cyan": "36",
    "dim": "2",
    "bold": "1",
}
PROGRESS = "FLOWC_PROGRESS"
_STAGES = {"read": "reading documents", "compile": "compiling procedures", "eval": "measuring cases"}
# Characters that act on a terminal or turn the direction of writing; documents are hostile data.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def prepare() -> None:
    """Make both streams UTF-8 whatever the locale; what UTF-8 cannot hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def finish(status: int) -> int:
    """Write out what is buffered and give the exit status; a reader that went away is no error of ours.

    Raises:
        OSError: the output cannot be written for another reason, such as a full disk.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        _drop_output()
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # Windows says EINVAL
            raise
        return BROKEN_PIPE
    return status


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not stumble over it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stream without a descriptor, as in tests
        return


def clean(text: str) -> str:
    """A text that does nothing to a terminal but show itself.

    >>> clean("pay\\x1b[2J now")
    'pay\\\\x1b[2J now'
    """
    return _ACTING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def one_line(text: str, longest: int | None = None) -> str:
    """A text on one line, cut to a number of characters.

    >>> one_line("first\\n second", 9)
    'first se…'
    """
    flat = " ".join(text.split())
    return flat if longest is None or len(flat) <= longest else flat[: longest - 1] + "…"


def print_line(text: str = "") -> None:
    """A line of the result, to stdout."""
    sys.stdout.write(text + "\n")


def print_json(value: object) -> None:
    """A JSON value, to stdout; the keys keep their order."""
    print_line(json_text(value).rstrip("\n"))


def json_text(value: object) -> str:
    """A JSON value as text that people can read too; the keys keep their order."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def print_to_stderr(text: str) -> None:
    """A line for the person, to stderr."""
    sys.stdout.flush()  # keeps the order where both go to one place
    sys.stderr.write(text + "\n")


def print_notice(text: str) -> None:
    """A notice, to stderr."""
    print_to_stderr(f"note: {clean(text)}")


def coloured(stream: TextIO | None = None) -> bool:
    """Whether a stream (stdout by default) shows colour: a terminal that can, unless `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: Colour, stream: TextIO | None = None) -> str:
    """The text in a colour, where the stream shows colour."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if coloured(stream) else text


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = (), wrapped: Sequence[str] = ()
) -> None:
    """A table on stdout: drawn on a terminal, aligned columns without lines elsewhere.

    Args:
        numbers: the heads of columns that are aligned to the right.
        wrapped: the heads of columns that a narrow terminal may break into lines; the others stay whole.
    """
    texts = [[one_line(clean(cell)) for cell in row] for row in rows]
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _drawn(heads, texts, numbers, wrapped)
    else:
        _aligned(heads, texts, numbers)


def _drawn(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str], wrapped: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in heads:
        justify: Literal["left", "right"] = "right" if head in numbers else "left"
        drawn.add_column(head, justify=justify, overflow="fold", no_wrap=head not in wrapped)
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, no_color=not coloured(), highlight=False).print(drawn)


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]) -> None:
    from rich.cells import cell_len

    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        padded = [
            " " * (width - cell_len(cell)) + cell if head in numbers else cell + " " * (width - cell_len(cell))
            for head, cell, width in zip(heads, line, widths, strict=True)
        ]
        print_line("  ".join(padded).rstrip())


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """A progress bar on stderr, where that is a terminal; gives what is to be told of each stage.

    With FLOWC_PROGRESS=json each is a line of JSON there instead, for programs.
    """
    if not quiet and os.environ.get(PROGRESS) == "json":
        yield _tell_stage
        return
    if quiet or not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_STAGES.get(stage, stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield advance


def _tell_stage(stage: str, done: int, total: int) -> None:
    sys.stderr.write(json.dumps({"stage": stage, "done": done, "total": total}) + "\n")
    sys.stderr.flush()
