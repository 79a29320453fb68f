"""Runs published workflows: `docs/semantics.md` says what that means, `ir.walk` what a run is."""
