"""The HTTP client of the library `mcp`, held to the addresses that were looked at and to a size."""

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.importing.mcp_bounds import bounded
from runtime.executors.client import LARGEST


def http_client(addresses: Sequence[str], headers: Mapping[str, str]) -> Any:
    """A client that connects to these addresses, follows nothing, asks no proxy and takes so many bytes in all."""
    import httpx2

    within = bounded(LARGEST)

    class Pinned(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: Any) -> Any:
            name = request.url.raw_host.decode("ascii")
            request.headers["accept-encoding"] = "identity"  # what is packed could unpack to anything
            request.extensions = {**request.extensions, "sni_hostname": name}
            for at, address in enumerate(addresses):
                request.url = request.url.copy_with(host=address)
                try:
                    response = await super().handle_async_request(request)
                    break
                except httpx2.ConnectError:
                    if at + 1 == len(addresses):
                        raise
            response.stream = within(response.stream)
            return response

    return httpx2.AsyncClient(
        transport=Pinned(), trust_env=False, follow_redirects=False, headers=dict(headers), timeout=None
    )
