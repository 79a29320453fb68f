"""Ablation of the reader that goes by rules: what each pattern and word list is worth, switched off one at a time."""
