"""What the package `ir` offers by name."""

import subprocess
import sys
from pathlib import Path

import pytest

import ir


@pytest.mark.parametrize("name", ir.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name of `__all__` can be imported from the package."""
    assert getattr(ir, name) is not None


def test_the_public_names_are_sorted() -> None:
    """`__all__` is in the order of the linter: constants, classes, functions."""
    constants = [name for name in ir.__all__ if name.isupper()]
    classes = [name for name in ir.__all__ if not name.isupper() and name[0].isupper()]
    functions = [name for name in ir.__all__ if name[0].islower()]
    assert ir.__all__ == [*sorted(constants), *sorted(classes), *sorted(functions)]


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not offered is refused as Python does it."""
    with pytest.raises(AttributeError, match="nonsense"):
        _ = ir.nonsense


def test_importing_the_package_is_cheap(repository: Path) -> None:
    """`import ir` alone loads none of its modules and not pydantic."""
    code = "import sys, ir; print([m for m in sys.modules if m.startswith('ir.') or m == 'pydantic'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
