"""Passes that ask a language model, held to the same forms, primers and checks as the deterministic ones."""
