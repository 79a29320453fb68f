"""Systems that executors reach in tests: on this machine, answering as they are told, noting what they were asked."""

import datetime
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ir.fields import Fields
from runtime.executors.contract import Call, Executor, Settling


def call(inputs: dict[str, Any], outputs: Fields | None = None, key: str = "e-1:n:1", **settings: Any) -> Call:
    """A call with these settings."""
    return Call("e-1", "n", "io.check", inputs, key, 5.0, settings, {}, outputs or {})


def carried_out(executor: Executor, given: Call, root: Path = Path()) -> dict[str, Any]:
    """What comes of a call whose settings were loaded as those of a workspace are."""
    assert isinstance(executor, Settling)
    return executor.carry_out(replace(given, settings=executor.settle(given.settings, root)))


@dataclass
class Asked:
    """A request that came, and under which name it came by TLS."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class System:
    """A system on this machine.

    Args:
        names: by which clients asked for it in TLS.
    """

    port: int = 0
    status: int = 200
    answer: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)


@contextmanager
def system(answer: Any, status: int = 200, certificate: Path | None = None, **headers: str) -> Iterator[System]:
    """A system that answers like this, by TLS where it has a certificate.

    Args:
        answer: JSON, or a text as it is; or what gives status, media type and one of these for what was asked.
    """
    one = System(status=status, answer=answer, headers=headers)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            one.asked.append(Asked(self.command, self.path, dict(self.headers.items()), body))
            status, kind, given = one.answer(one.asked[-1]) if callable(one.answer) else (one.status, "", one.answer)
            text = (given if isinstance(given, str) else json.dumps(given)).encode()
            self.send_response(status)
            for name, value in {**one.headers, **({"Content-Type": kind} if kind else {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - as the library has them

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass  # a client that refuses the certificate is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.set_servername_callback(lambda _, name, __: one.names.append(name))
            server.socket = context.wrap_socket(server.socket, server_side=True)
        one.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield one
        finally:
            server.shutdown()


def certificate_for(folder: Path, *names: str) -> Path:
    """A file with a key and a certificate for names, signed by itself; it is an authority as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    now = datetime.datetime.now(datetime.UTC)
    alternatives: list[x509.GeneralName] = [x509.DNSName(one) for one in names]
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    told = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{names[0]}.pem"
    path.write_bytes(told + made.public_bytes(serialization.Encoding.PEM))
    return path


def is_address(text: str) -> bool:
    """Whether a host is an address, not a name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
