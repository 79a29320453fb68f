"""A small SMTP server for tests: takes mails, offers TLS and a login, answers as it is told."""

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class PostOffice:
    """What came to a server.

    Args:
        answers: by command what is answered instead of what is usual; an empty text ends the connection.
        commands: of all connections, those of a login without its words.
        mails: the recipients of each mail, and its text.
    """

    answers: dict[str, str] = field(default_factory=dict)
    port: int = 0
    commands: list[str] = field(default_factory=list)
    mails: list[tuple[list[str], str]] = field(default_factory=list)


@contextmanager
def post_office(certificate: Path | None = None, **answers: str) -> Iterator[PostOffice]:
    """A server on this machine, with STARTTLS where it has a certificate."""
    office = PostOffice(answers)
    usual = {"EHLO": "250 SIZE", "QUIT": "221 bye", "DATA": "354 go on", "AUTH": "235 welcome", "END": "250 taken"}
    if certificate is not None:
        usual["EHLO"] = "250-post office\r\n250-STARTTLS\r\n250 AUTH PLAIN"
        usual["STARTTLS"] = "220 go on"

    class Handler(socketserver.StreamRequestHandler):
        def say(self, command: str) -> bool:
            answer = office.answers.get(command, usual.get(command, "250 so be it"))
            self.wfile.write(answer.encode() + b"\r\n" if answer else b"")
            return bool(answer)

        def handle(self) -> None:
            self.wfile.write(b"220 post office\r\n")
            recipients: list[str] = []
            while line := self.rfile.readline().decode().strip():
                command = line.split(" ")[0].upper()
                office.commands.append(command)
                if command == "RCPT":
                    recipients.append(line.split("<")[1].split(">")[0])
                if not self.say(command) or command == "QUIT":
                    return
                if command == "STARTTLS":
                    self.secure()
                if command == "DATA" and "DATA" not in office.answers:
                    text = b""
                    while not text.endswith(b"\r\n.\r\n"):
                        text += self.rfile.readline()
                    office.mails.append((recipients, text.removesuffix(b"\r\n.\r\n").decode()))
                    if not self.say("END"):
                        return

        def secure(self) -> None:
            assert certificate is not None
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.connection = context.wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb")
            self.wfile = self.connection.makefile("wb", buffering=0)  # type: ignore[assignment]  # as the library has it

        def finish(self) -> None:
            super().finish()
            self.connection.close()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that refuses the certificate is what one test is about

    with Server(("127.0.0.1", 0), Handler) as server:
        office.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield office
        finally:
            server.shutdown()
