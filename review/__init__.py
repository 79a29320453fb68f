"""Review of drafts by people, whatever they sit before: what to look at, what may be changed, and deciding it."""
