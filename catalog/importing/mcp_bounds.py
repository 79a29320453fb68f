"""What any talk with an MCP server is held to: so many bytes in all, nothing logged, all that went wrong looked at."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any


class TooMuchError(Exception):
    """A server sent more than it may."""


def bounded(most: int) -> Callable[[Any], Any]:
    """Bounds the streams of answers of the library `mcp`, so that all together hold so many bytes.

    What it gives raises TooMuchError while it is read.
    """
    import httpx2

    left = most

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            nonlocal left
            async for chunk in self._inner:
                left -= len(chunk)
                if left < 0:
                    raise TooMuchError
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Bounded


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library from logging each line of a server that talks nonsense; what goes wrong is told once."""
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def leaves(error: BaseException) -> list[BaseException]:
    """All that was raised together, and what each was raised from."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in leaves(one)]
    cause = error.__cause__
    return [error, *(leaves(cause) if cause is not None else [])]
