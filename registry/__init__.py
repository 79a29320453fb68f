"""The registry: versions of workflows, from draft to deprecated, each bound to its digest."""
