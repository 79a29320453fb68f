"""BREX, a benchmark of rules and their dependencies in Chinese accounts (arXiv 2505.18542), scored on drafts.

How a rule of a draft is compared with one of the set is told in `score`; the set has no scorer of its own.
"""
