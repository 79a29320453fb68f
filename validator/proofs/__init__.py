"""Proofs with the solver z3 (de Moura and Bjørner 2008): which conditions can hold together, and which runs can be."""
