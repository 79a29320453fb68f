"""Sends a mail of plain text over SMTP, from a fixed sender, to people whom the settings allow.

    [executors."notify.email"]
    kind = "mail"
    host = "smtp.example.org"
    user = "SMTP_USER"                    # environment variables, as the password is
    password = "SMTP_PASSWORD"
    sender = "workflows@example.org"
    to = ["{{email_address}}"]
    allowed = ["@example.org", "auditor@example.com"]
    subject = "{{message_subject}}"
    body = "{{message_body}}"
    give = {message_id = "message_id", sent_at = "at"}

The Message-ID is made of the key of the call, so a mail that is sent again can be told by who gets it; SMTP itself has
nothing that keeps a mail from being sent twice.
"""

import hashlib
import re
from collections.abc import Mapping
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, model_validator

from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.giving import given_outputs
from runtime.executors.settings import Settings, secret, settings_of, settled
from runtime.executors.smtp import Server, deliver
from runtime.executors.texts import TextSetting, filled
from store.clock import now

FACTS = ("message_id", "at", "recipients")
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", re.ASCII)


def _address(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ValueError("write one address, as user@example.org")
    return address


class MailSettings(Settings):
    """What the executor is told.

    Args:
        tls: `starttls`, `tls` from the beginning, or `none`, which is for servers of this machine.
        user, password: the environment variables that hold them; both or neither.
        to: the recipients; may hold `{{input}}`, one address each.
        allowed: who may be written to: addresses, and domains as `@example.org`.
        subject, body: may hold `{{input}}`.
        give: by output what it gives of `FACTS`, or a value.
    """

    host: str = Field(min_length=1)
    port: int | None = Field(default=None, ge=1, le=65535)
    tls: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None
    sender: Annotated[str, AfterValidator(_address)]
    to: tuple[TextSetting, ...] = Field(min_length=1, max_length=50)
    allowed: tuple[str, ...] = Field(min_length=1)
    subject: TextSetting
    body: TextSetting
    give: dict[str, JsonValue] = {}

    @model_validator(mode="after")
    def _fits(self) -> "MailSettings":
        if (self.user is None) != (self.password is None):
            raise ValueError("user and password go together")
        if self.user is not None and self.tls == "none":
            raise ValueError('a password is not sent without TLS; tls is "starttls" or "tls"')
        for one in self.allowed:
            if not _ADDRESS.fullmatch(one.replace("@", "x@", 1) if one.startswith("@") else one):
                raise ValueError(f"allowed: {one!r} is neither an address nor a domain as @example.org")
        return self


class MailExecutor:
    """Sends mails."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(MailSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(MailSettings, call)
        given_outputs(told.give, {}, FACTS, "a sent mail")
        message, recipients = message_of(told, call)
        login = (secret(told.user), secret(told.password)) if told.user and told.password else None
        deliver(Server(told.host, told.port, told.tls, login), told.sender, recipients, message, call.timeout)
        facts: dict[str, JsonValue] = {"message_id": message["Message-ID"], "at": now(), "recipients": [*recipients]}
        return given_outputs(told.give, facts, FACTS, "a sent mail")


def message_of(told: MailSettings, call: Call) -> tuple[EmailMessage, list[str]]:
    """The mail that a call asks for, and whom it goes to.

    Raises:
        ExecutorFault: somebody may not be written to, or an input would add to the head of the mail.
    """
    recipients = list(dict.fromkeys(_recipient(filled(one, call.inputs).strip(), told.allowed) for one in told.to))
    subject = filled(told.subject, call.inputs)
    if not subject.isprintable():
        raise ExecutorFault("BAD_INPUT", "the subject has more than one line, or signs that cannot be seen", made=False)
    message = EmailMessage(policy=policy.SMTP.clone(cte_type="7bit"))
    message["From"], message["To"], message["Subject"] = told.sender, ", ".join(recipients), subject
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{hashlib.sha256(call.key.encode()).hexdigest()}@{told.sender.split('@')[1]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(filled(told.body, call.inputs))
    return message, recipients


def _recipient(address: str, allowed: tuple[str, ...]) -> str:
    if not _ADDRESS.fullmatch(address):
        raise ExecutorFault("BAD_INPUT", f"{address!r} is not one address, as user@example.org", made=False)
    known = {one.lower() for one in allowed}
    if address.lower() not in known and "@" + address.lower().rpartition("@")[2] not in known:
        told = f"{address} is not allowed as a recipient (`allowed` in flowc.toml)"
        raise ExecutorFault("NOT_ALLOWED", told, made=False)
    return address
