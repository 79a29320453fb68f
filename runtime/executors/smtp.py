"""Hands a mail to a server over SMTP, and says what became of it as exactly as SMTP lets it be known."""

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Literal

from runtime.executors.contract import ExecutorFault

_PORTS = {"starttls": 587, "tls": 465, "none": 25}


@dataclass(frozen=True)
class Server:
    """Whom a mail is handed to.

    Args:
        port: None for the one that is usual.
        login: user and password.
    """

    host: str
    port: int | None
    tls: Literal["starttls", "tls", "none"]
    login: tuple[str, str] | None = None


def deliver(server: Server, sender: str, recipients: list[str], message: EmailMessage, seconds: float) -> None:
    """Hand a mail over.

    Args:
        seconds: to wait for each answer.

    Raises:
        ExecutorFault: it was not taken, not for all, or nobody knows.
    """
    connection = _connected(server, seconds)
    try:
        refused = connection.send_message(message, sender, recipients)
    except smtplib.SMTPRecipientsRefused as error:
        raise _turned_down("RECIPIENT_REFUSED", next(iter(error.recipients.values()))[0], str(error)) from error
    except smtplib.SMTPResponseException as error:
        raise _turned_down("MAIL_REFUSED", error.smtp_code, str(error)) from error
    except (OSError, smtplib.SMTPException) as error:
        told = f"{server.host}: {type(error).__name__}: {error}"
        raise ExecutorFault("NO_ANSWER", told, passing=True, made=None) from error
    finally:
        with suppress(OSError, smtplib.SMTPException):
            connection.quit()
        connection.close()
    if refused:
        raise ExecutorFault("RECIPIENT_REFUSED", f"it was sent, but not to {', '.join(refused)}", made=True)


def _connected(server: Server, seconds: float) -> smtplib.SMTP:
    """A server that was greeted, by TLS unless none is wanted; its certificate is held against its name."""
    port, context = server.port or _PORTS[server.tls], ssl.create_default_context()
    try:
        if server.tls == "tls":
            return _admitted(smtplib.SMTP_SSL(server.host, port, timeout=seconds, context=context), server, None)
        secure = context if server.tls == "starttls" else None
        return _admitted(smtplib.SMTP(server.host, port, timeout=seconds), server, secure)
    except (ssl.SSLError, smtplib.SMTPNotSupportedError) as error:
        raise ExecutorFault("NO_TLS", f"{server.host}: {error}", made=False) from error
    except smtplib.SMTPAuthenticationError as error:
        raise ExecutorFault("NOT_ADMITTED", f"{server.host} refuses user or password", made=False) from error
    except (OSError, smtplib.SMTPException) as error:
        raise ExecutorFault("SYSTEM_UNAVAILABLE", f"{server.host}: {error}", passing=True, made=False) from error


def _admitted(connection: smtplib.SMTP, server: Server, secure: ssl.SSLContext | None) -> smtplib.SMTP:
    try:
        connection.ehlo_or_helo_if_needed()
        if secure is not None:
            connection.starttls(context=secure)
        if server.login is not None:
            connection.login(*server.login)
    except BaseException:
        connection.close()
        raise
    return connection


def _turned_down(code: str, status: int, message: str) -> ExecutorFault:
    """What a server refused: nothing was sent; a status of 400 to 499 may pass."""
    return ExecutorFault(code, message, passing=400 <= status < 500, made=False)
