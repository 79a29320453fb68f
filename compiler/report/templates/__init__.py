"""Templates of the pages: HTML, CSS, JavaScript and words, as files beside this one."""

from functools import cache
from importlib.resources import files


@cache
def read_template(name: str) -> str:
    """The text of a template, by file name."""
    return (files(__package__) / name).read_text(encoding="utf-8")
