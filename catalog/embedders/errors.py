"""What goes wrong with embedders: a package, a model or an endpoint that is not there."""


class EmbedderError(Exception):
    """An embedder cannot be used as asked; the message says what is missing and what to do about it."""
