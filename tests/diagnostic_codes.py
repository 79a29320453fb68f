"""The codes that the source can emit, read from the source itself: nothing is run."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from compiler.conformance import ALL_CHECKS
from validator.checks import code_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("catalog", "compiler", "evals", "flowc", "ir", "llm", "primers", "review", "validator")
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
HYPHENATED = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
PARAMETERS = ("code", "error_code")


@cache
def emitted_codes() -> dict[str, str]:
    """Every code, with the place of one of its sources.

    A code is what is given for a parameter called `code` or `error_code`, a default of such a parameter, a class's
    `code`, and what a check is named for. Where the argument is a variable of the calling function, the codes are the
    hyphenated texts in the tables of its module.
    """
    trees = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    places = _positions(trees.values())
    found = {code_of(check): check.__module__.replace(".", "/") for check in ALL_CHECKS}
    for file, tree in trees.items():
        for code, line in _codes(tree, places):
            found.setdefault(code, f"{file}:{line}")
    return found


def _positions(trees: Iterable[ast.Module]) -> dict[str, set[int]]:
    """For each function or class name, the positions at which a call gives a code."""
    found: dict[str, set[int]] = {}
    for tree in trees:
        owners = {
            method: owner.name
            for owner in ast.walk(tree)
            if isinstance(owner, ast.ClassDef)
            for method in owner.body
            if isinstance(method, ast.FunctionDef)
        }
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and not function.decorator_list:
                names = [argument.arg for argument in function.args.args]
                names = names[1:] if function in owners else names
                name = owners[function] if function.name == "__init__" else function.name
                found.setdefault(name, set()).update(names.index(one) for one in PARAMETERS if one in names)
    return found


def _codes(tree: ast.Module, positions: dict[str, set[int]]) -> Iterator[tuple[str, int]]:
    """The codes of a module, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [node.args[at] for at in positions.get(name, ()) if at < len(node.args)]
            given += [keyword.value for keyword in node.keywords if keyword.arg in PARAMETERS]
        elif isinstance(node, ast.FunctionDef):
            given = _defaults(node)
        elif isinstance(node, ast.ClassDef):
            given = [value for statement in node.body for value in _class_code(statement)]
        else:
            continue
        yield from ((code, node.lineno) for value in given for code in _texts(value, tree))


def _defaults(function: ast.FunctionDef) -> list[ast.expr]:
    """The defaults of a function's parameters for codes."""
    arguments = function.args.args
    pairs = zip(reversed(arguments), reversed(function.args.defaults), strict=False)
    return [default for argument, default in pairs if argument.arg in PARAMETERS]


def _class_code(statement: ast.stmt) -> Iterator[ast.expr]:
    """What a class says of its `code`, alone or beside others."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    pairs = (
        zip(target.elts, value.elts, strict=True)
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        else [(target, value)]
    )
    yield from (one for name, one in pairs if isinstance(name, ast.Name) and name.id in PARAMETERS)


def _texts(value: ast.expr, tree: ast.Module) -> Iterator[str]:
    """The codes that an expression can be."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and CODE.fullmatch(value.value):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from _texts(value.body, tree)
        yield from _texts(value.orelse, tree)
    elif isinstance(value, ast.JoinedStr):
        yield from _filled(value, tree)
    elif isinstance(value, ast.Name) and value.id in _assigned(tree):
        yield from (text for text in _constants(_tables(tree)) if HYPHENATED.fullmatch(text))


def _filled(value: ast.JoinedStr, tree: ast.Module) -> Iterator[str]:
    """`few-{key}` with each word that the loops of the module give its variable."""
    pattern = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in value.values)
    names = {
        part.value.id
        for part in value.values
        if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name)
    }
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Tuple) and isinstance(loop.iter, ast.Tuple):
            for at, target in enumerate(loop.target.elts):
                if isinstance(target, ast.Name) and target.id in names:
                    rows = [row.elts[at] for row in loop.iter.elts if isinstance(row, ast.Tuple)]
                    yield from (pattern.format(text) for text in _constants(rows))


def _assigned(tree: ast.Module) -> set[str]:
    """Names that functions of the module assign in their bodies, together with others."""
    return {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Tuple)
        for name in target.elts
        if isinstance(name, ast.Name)
    }


def _tables(tree: ast.Module) -> list[ast.expr]:
    """What the module's constants are."""
    return [node.value for node in tree.body if isinstance(node, ast.Assign)]


def _constants(values: list[ast.expr]) -> Iterator[str]:
    for value in values:
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
