"""From procedures to drafts: recall, align, synthesise, complete, repair, settle; deterministic and by model."""
