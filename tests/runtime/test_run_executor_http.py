"""The executor `http` on the network: what is connected to is what was looked up and looked at."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from systems import call, carried_out, certificate_for, is_address, system

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.http import HttpExecutor
from runtime.executors.registry import executors_from

PUBLIC = "93.184.215.14"


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The hosts that were connected to; each leads to this machine, a name by way of what it stands for."""
    hosts: list[str] = []
    real = socket.create_connection

    def connect(address: tuple[str, int], *rest: Any, **more: Any) -> socket.socket:
        host = address[0]
        if not is_address(host):
            host = socket.getaddrinfo(host, address[1])[0][4][0]
        hosts.append(host)
        return real(("127.0.0.1", address[1]), *rest, **more)

    monkeypatch.setattr(socket, "create_connection", connect)
    yield hosts


def name_server(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names stand for these addresses, one answer after the other; gives the names that were looked up."""
    asked: list[str] = []
    left, real = list(answers), socket.getaddrinfo

    def look(host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
        if is_address(host):
            return real(host, port, *rest, **more)
        asked.append(host)
        found = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", look)
    return asked


def test_a_name_that_stands_for_another_address_a_moment_later(
    monkeypatch: pytest.MonkeyPatch, connected: list[str]
) -> None:
    """The address that was looked at is connected to; the name is looked up once, and stays in `Host`."""
    with system({"found": True}) as one:
        asked = name_server(monkeypatch, [PUBLIC], ["127.0.0.1"])
        given = call({"name": "硫酸"}, url=f"http://rebind.example:{one.port}/{{name}}")
        assert HttpExecutor().carry_out(given) == {"found": True}
    assert (asked, connected) == (["rebind.example"], [PUBLIC])
    assert one.asked[0].headers["Host"] == f"rebind.example:{one.port}"
    assert json.loads(one.asked[0].body) == {"name": "硫酸"}


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"], ["fd00::1"]],
)
def test_a_name_that_stands_for_a_private_address(
    addresses: list[str], monkeypatch: pytest.MonkeyPatch, connected: list[str]
) -> None:
    """Is not connected to, not even where another of its addresses is public."""
    name_server(monkeypatch, addresses)
    with pytest.raises(ExecutorFault) as stopped:
        HttpExecutor().carry_out(call({}, url="http://inside.example/"))
    assert (stopped.value.code, stopped.value.made, connected) == ("PRIVATE_ADDRESS", False, [])


def test_private_addresses_that_are_meant(monkeypatch: pytest.MonkeyPatch, connected: list[str]) -> None:
    """Are connected to where the settings say so."""
    name_server(monkeypatch, ["10.0.0.1"])
    with system({"found": True}) as one:
        given = call({}, url=f"http://inside.example:{one.port}/", private=True)
        assert HttpExecutor().carry_out(given) == {"found": True}
    assert connected == ["10.0.0.1"]


def test_the_next_address_is_tried_where_one_cannot_be_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may stand for several; the request is sent once."""
    tried: list[str] = []
    real = socket.create_connection

    def connect(address: tuple[str, int], *rest: Any, **more: Any) -> socket.socket:
        tried.append(address[0])
        if address[0] == "10.0.0.1":
            raise ConnectionRefusedError("nobody listens")
        return real(("127.0.0.1", address[1]), *rest, **more)

    monkeypatch.setattr(socket, "create_connection", connect)
    name_server(monkeypatch, ["10.0.0.1", "10.0.0.2"])
    with system({"found": True}) as one:
        HttpExecutor().carry_out(call({}, url=f"http://inside.example:{one.port}/", private=True))
    assert tried == ["10.0.0.1", "10.0.0.2"] and len(one.asked) == 1


def test_the_name_in_tls_is_that_of_the_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connected: list[str]
) -> None:
    """The certificate is held against the name, not against the address that is connected to."""
    certificate = certificate_for(tmp_path, "filing.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    name_server(monkeypatch, [PUBLIC])
    with system({"found": True}, certificate=certificate) as one:
        assert HttpExecutor().carry_out(call({}, url=f"https://filing.example:{one.port}/")) == {"found": True}
        with pytest.raises(ExecutorFault, match=r"other\.example.*Hostname mismatch") as stopped:
            HttpExecutor().carry_out(call({}, url=f"https://other.example:{one.port}/"))
    assert (stopped.value.code, stopped.value.made) == ("SYSTEM_UNAVAILABLE", False)
    assert one.names == ["filing.example", "other.example"] and len(one.asked) == 1
    assert set(connected) == {PUBLIC}


def test_redirects_proxies_and_netrc_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the environment but what the settings name has a say in where a request goes and with what."""
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login li password secret\n", "utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    with system({}) as inside, system({}, status=302) as one:
        one.headers["Location"] = f"http://127.0.0.1:{inside.port}/"
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{inside.port}")
        with pytest.raises(ExecutorFault) as stopped:
            HttpExecutor().carry_out(call({}, url=f"http://127.0.0.1:{one.port}/", private=True))
        assert stopped.value.code == "HTTP_302" and inside.asked == []
        assert "Authorization" not in one.asked[0].headers


def test_inputs_of_a_query_join_those_of_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the URL has after its question mark stays."""
    monkeypatch.setenv("FILING_TOKEN", "t-1")
    with system({"found": None}) as one:
        settings = {"url": f"http://127.0.0.1:{one.port}/find?of=plant", "method": "GET", "private": True}
        given = call({"name": "硫酸 98%"}, **settings, headers={"X-Token": "FILING_TOKEN"})
        assert carried_out(HttpExecutor(), given) == {"found": None}
    assert one.asked[0].path == "/find?of=plant&name=%E7%A1%AB%E9%85%B8+98%25"
    assert one.asked[0].headers["X-Token"] == "t-1" and one.asked[0].headers["Idempotency-Key"] == "e-1:n:1"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, 'the key "url" is missing'),
        ({"url": "ftp://x.example/"}, "no address"),
        ({"url": "https://{host}.example/"}, "not in its host"),
        ({"url": "https://li:secret@x.example/"}, "no user or password in an address"),
        ({"url": "https://x.example/", "metod": "GET"}, 'did you mean "method"'),
        ({"url": "https://x.example/", "private": "yes"}, "private"),
        ({"url": "https://x.example/", "headers": {"X": 1}, "method": "BREW"}, "method.*headers"),
    ],
)
def test_settings_are_looked_at_when_they_are_loaded(settings: dict[str, Any], told: str) -> None:
    """All that is wrong is told at once, under the name of the Type."""
    with pytest.raises(BadSetting, match=rf'\[executors."io.check"\].*{told}'):
        executors_from({"io.check": {"kind": "http", **settings}})
