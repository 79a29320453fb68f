"""The executor `mail`, against a server on this machine."""

import email
from email import policy
from pathlib import Path
from typing import Any

import pytest
from post_office import PostOffice, post_office
from systems import call, carried_out, certificate_for

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.mail import MailExecutor
from runtime.executors.registry import executors_from

INPUTS = {"email_address": "li@example.org", "message_subject": "备案 F-1", "message_body": "第一条。\n.\n第二条。"}
MAIL: dict[str, Any] = {
    "host": "127.0.0.1", "tls": "none", "sender": "flows@plant.example.org", "to": ["{{email_address}}"],
    "allowed": ["@example.org", "auditor@example.com"],
    "subject": "{{message_subject}}", "body": "{{message_body}}\n",
    "give": {"message_id": "message_id", "sent_at": "at"},
}  # fmt: skip


def sent(office: PostOffice, inputs: dict[str, Any] | None = None, key: str = "e-1:n:1", **more: Any) -> dict[str, Any]:
    """What comes of a call to this server."""
    given = call({**INPUTS, **(inputs or {})}, key=key, **{**MAIL, "port": office.port, **more})
    return carried_out(MailExecutor(), given)


def refused(office: PostOffice, inputs: dict[str, Any] | None = None, **more: Any) -> tuple[str, bool, bool | None]:
    """The code of a call that is not carried out, whether it may pass, and whether it was made."""
    with pytest.raises(ExecutorFault) as stopped:
        sent(office, inputs, **more)
    return stopped.value.code, stopped.value.passing, stopped.value.made


def test_a_mail_is_sent() -> None:
    """From the fixed sender, with the inputs in it, and a Message-ID that is the same for the same key."""
    with post_office() as office:
        first = sent(office, to=["{{email_address}}", "auditor@example.com", "LI@example.org"])
        again, other = sent(office), sent(office, key="e-1:n:2")
    recipients, text = office.mails[0]
    mail = email.message_from_string(text, policy=policy.default)
    assert recipients == ["li@example.org", "auditor@example.com", "LI@example.org"]
    assert (mail["From"], mail["Subject"]) == ("flows@plant.example.org", "备案 F-1")
    body = mail.get_body()
    assert body is not None and body.get_content().replace("\r\n", "\n") == INPUTS["message_body"] + "\n"
    assert text.isascii() and mail["Message-ID"] == first["message_id"] == again["message_id"] != other["message_id"]
    assert mail["Message-ID"].endswith("@plant.example.org>") and first["sent_at"].startswith("20")


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"message_subject": "hello\r\nBcc: all@example.org"}, "BAD_INPUT"),
        ({"message_subject": "hello\u2028Bcc: all@example.org"}, "BAD_INPUT"),
        ({"email_address": "li@example.org\r\nBcc: all@example.org"}, "BAD_INPUT"),
        ({"email_address": "li@example.org, all@example.org"}, "BAD_INPUT"),
        ({"email_address": "li@example.org> SIZE=1"}, "BAD_INPUT"),
        ({"email_address": "li"}, "BAD_INPUT"),
        ({"email_address": "li@elsewhere.example"}, "NOT_ALLOWED"),
        ({"email_address": "li@example.org.elsewhere.example"}, "NOT_ALLOWED"),
        ({"email_address": "li@sub.example.org"}, "NOT_ALLOWED"),
        ({"email_address": "other@example.com"}, "NOT_ALLOWED"),
        ({"message_body": None}, "MISSING_VALUE"),
    ],
)
def test_inputs_say_neither_more_nor_to_others(inputs: dict[str, Any], code: str) -> None:
    """No line is added to the head, nobody is written to who is not allowed; no server is asked."""
    with post_office() as office:
        assert refused(office, inputs) == (code, False, False)
    assert office.commands == []


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"RCPT": "550 no such person"}, ("RECIPIENT_REFUSED", False, False)),
        ({"RCPT": "450 later"}, ("RECIPIENT_REFUSED", True, False)),
        ({"MAIL": "553 not you"}, ("MAIL_REFUSED", False, False)),
        ({"DATA": "451 later"}, ("MAIL_REFUSED", True, False)),
        ({"END": "554 no"}, ("MAIL_REFUSED", False, False)),
        ({"END": ""}, ("NO_ANSWER", True, None)),
        ({"EHLO": "", "HELO": ""}, ("SYSTEM_UNAVAILABLE", True, False)),
    ],
)
def test_what_a_server_may_answer(answers: dict[str, str], expected: tuple[str, bool, bool | None]) -> None:
    """Each has a code, whether it may pass, and whether the mail was sent, as far as that is known."""
    with post_office(**answers) as office:
        assert refused(office) == expected


def test_what_a_server_says_at_parting_changes_nothing() -> None:
    """A mail that was taken was sent."""
    with post_office(QUIT="500 what") as office:
        assert sent(office)["message_id"] and len(office.mails) == 1


def test_tls_and_a_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password goes by TLS alone, to a server whose certificate bears its name."""
    monkeypatch.setenv("SMTP_USER", "flows")
    monkeypatch.setenv("SMTP_PASSWORD", "secret")
    login = {"host": "localhost", "tls": "starttls", "user": "SMTP_USER", "password": "SMTP_PASSWORD"}
    certificate = certificate_for(tmp_path, "localhost")
    with post_office(certificate) as office:
        with pytest.raises(ExecutorFault, match="CERTIFICATE_VERIFY_FAILED") as stopped:
            sent(office, **login)
        assert (stopped.value.code, stopped.value.passing, stopped.value.made) == ("NO_TLS", False, False)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert "AUTH" not in office.commands
        sent(office, **login)
    assert office.commands[-8:] == ["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]
    with post_office(certificate, AUTH="535 no") as office:
        assert refused(office, **login) == ("NOT_ADMITTED", False, False)
    with post_office() as office:
        assert refused(office, **login) == ("NO_TLS", False, False)
        assert "AUTH" not in office.commands
    monkeypatch.delenv("SMTP_PASSWORD")
    assert refused(office, **login) == ("NO_SECRET", False, False)


def test_a_server_that_is_not_there() -> None:
    """Is told, and may be there later."""
    with post_office() as office:
        pass
    assert refused(office) == ("SYSTEM_UNAVAILABLE", True, False)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"sender": "flows\n@example.org"}, "write one address"),
        ({"allowed": []}, "allowed"),
        ({"allowed": ["example.org"]}, "neither an address nor a domain"),
        ({"user": "SMTP_USER"}, "user and password go together"),
        ({"user": "SMTP_USER", "password": "SMTP_PASSWORD"}, "a password is not sent without TLS"),
        ({"to": []}, "to"),
        ({"subject": "{{x"}, "braces that are not closed"),
        ({"cc": ["li@example.org"]}, 'unknown key "cc"'),
    ],
)
def test_settings_of_mails(settings: dict[str, Any], told: str) -> None:
    """Are looked at when they are loaded."""
    with pytest.raises(BadSetting, match=rf'\[executors."notify.email"\].*{told}'):
        executors_from({"notify.email": {"kind": "mail", **MAIL, **settings}})
