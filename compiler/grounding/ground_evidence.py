"""Where the words stand that each element of a procedure rests on."""

from compiler.context import Context
from compiler.grounding.locate import QuoteFinder
from compiler.grounding.order import ground_procedure
from compiler.grounding.report import finding
from ir.document import Document
from ir.procedure import Procedure


def ground_evidence(ctx: Context, procedure: Procedure, document: Document) -> Procedure:
    """Locate or verify every quote of a procedure; nothing is dropped, and evidence in other documents is left alone.

    Reports `ungrounded-evidence` for words that the document does not have, `ambiguous-evidence` for words that it has
    in several places of which nothing tells which is meant, and, as information, `evidence-placed-by-order` where the
    place was told by the elements around.
    """
    finder = QuoteFinder(document)
    grounded, searches = ground_procedure(procedure, finder)
    for one in searches:
        if (diagnostic := finding(one, finder)) is not None:
            ctx.report(diagnostic)
    return grounded
