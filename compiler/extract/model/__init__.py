"""The reader that asks a language model, held to the document's words."""
