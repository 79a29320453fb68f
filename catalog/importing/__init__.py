"""Node Types from the user's own systems: OpenAPI, MCP servers, function specifications, decision tables."""

from pathlib import Path

from catalog.importing.merge import Merged, merge_into
from catalog.importing.names import identifier_words, type_part
from catalog.importing.node_types import Import, make_types
from catalog.importing.proposals import propose_concepts
from catalog.importing.samples import learn_outputs
from catalog.importing.sources import Wanted, read


def import_tools(
    wanted: Wanted, namespace: str | None = None, samples: Path | None = None, *, skip_faulty: bool = False
) -> Import:
    """The Node Types of a source; nothing is written.

    Args:
        namespace: the first half of their names; None for one made of what the source calls itself, or of the file's.
        samples: outputs of its tools, from which those are learnt that the source does not tell.
        skip_faulty: tools whose schemas are malformed are left out and listed.

    Raises:
        CompilerError: the source is not there, does not answer or is malformed.
    """
    source = read(wanted)
    names = (namespace, source.name, Path(source.said).stem, source.said)
    space = next((type_part(one) for one in names if one and any(w.isascii() for w in identifier_words(one))), None)
    imported = make_types(source, space, skip_faulty=skip_faulty)
    return learn_outputs(imported, samples) if samples else imported


def import_functions(path: Path, namespace: str | None = None, entry_point: str | None = None) -> Import:
    """The Node Types of a file of function specifications.

    Args:
        namespace: the first half of their names; None for the file's name.
        entry_point: `module` or `module:Class` in which functions of these names stand.

    Raises:
        CompilerError: the file cannot be read, is malformed, or two functions would have the same name.
    """
    return import_tools(Wanted(str(path), "functions", entry_point), namespace)


__all__ = [
    "Import",
    "Merged",
    "Wanted",
    "import_functions",
    "import_tools",
    "learn_outputs",
    "make_types",
    "merge_into",
    "propose_concepts",
]
