"""What a workflow may use: Node Types, the concepts of their fields, and search over them."""

from catalog.concept import Concept, ConceptValue
from catalog.errors import CatalogClash, CatalogError, CatalogFault
from catalog.load import Catalog, load_catalog
from catalog.node_type import Candidate, NodeType

__all__ = [
    "Candidate",
    "Catalog",
    "CatalogClash",
    "CatalogError",
    "CatalogFault",
    "Concept",
    "ConceptValue",
    "NodeType",
    "load_catalog",
]
