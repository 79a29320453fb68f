"""The reader that goes by cue words: deterministic, without a model, in both languages."""
