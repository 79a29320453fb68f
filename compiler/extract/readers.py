"""Which reader reads the documents of a build."""

from compiler.context import Context
from compiler.extract.contract import Reader
from compiler.extract.model.model_reader import ModelReader
from compiler.extract.rules.rule_reader import RuleReader


def reader_for(ctx: Context, *, syntax: bool) -> Reader:
    """The reader by a model where the context has one, else the one by rules.

    Args:
        syntax: see `RuleReader`.
    """
    rules = RuleReader(syntax=syntax)
    return rules if ctx.model is None else ModelReader(rules)
