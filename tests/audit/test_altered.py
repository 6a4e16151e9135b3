"""The record's own lines: what an editor may do to them, and what is told of everything else."""

import re

import pytest

from tests.audit.recorded import amend, audited, begun, head, message

VERIFIED = "verified"


@pytest.fixture
def work(repo):
    return begun(repo)


# -- what keeps it


def refilled(body):
    """Wrap our paragraph at 72 columns, as an editor does."""
    import textwrap  # noqa: PLC0415

    head_text, _, block = body.decode().partition("\n\nGitedit-Record")
    lines = re.sub(r"\n(?= )", "", "Gitedit-Record" + block).splitlines()
    wrapped = [
        textwrap.wrap(item, 72, break_long_words=False, break_on_hyphens=False, subsequent_indent="") for item in lines
    ]
    return head_text + "\n\n" + "\n".join("\n".join(item) for item in wrapped) + "\n"


def unfolded(body):
    head_text, _, block = body.decode().partition("\n\nGitedit-Record")
    return head_text, re.sub(r"\n(?= )", "", "Gitedit-Record" + block).splitlines()


def test_message_rewrapped_at_72_columns_is_exact(work):
    work.commit(None, refilled(message(work)), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_sorted_lines_is_exact(work):
    head_text, lines = unfolded(message(work))
    work.commit(None, head_text + "\n\n" + "\n".join(sorted(lines)) + "\n", "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_each_line_twice_is_exact(work):
    head_text, lines = unfolded(message(work))
    work.commit(None, head_text + "\n\n" + "\n".join(item for item in lines for _ in range(2)) + "\n", "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_each_folded_line_twice_is_exact(work):
    work.commit(None, b"".join(line * 2 for line in message(work).splitlines(keepends=True)), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_crlf_is_exact(work):
    work.commit(None, message(work).replace(b"\n", b"\r\n"), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


# -- what breaks it


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"(lines=[0-9a-f]{63})[0-9a-f]", rb"\1x"),
        (rb"delta=[0-9a-f]{8}", b"delta=00000000"),
        (rb"change=[0-9a-f]{8}", b"change=00000000"),
        (rb"mode=strict", b"mode=anchored"),
        (rb"tool=gitedit", b"agent=Other:x tool=gitedit"),
        (rb"edits=2", b"edits=1"),
    ],
)
def test_altered_record_line_is_malformed(work, old, new):
    body, count = re.subn(old, new, message(work), count=1)
    assert count
    work.commit(None, body, "--amend")
    assert head(work) == ("malformed", None, ["malformed"])


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (rb"0\.0 (\d+)\+", rb"0.0 1\1+", "forged"),
        (rb"~(\d+) exact", rb"~9\1 exact", "forged"),
        (rb"(~\d+) exact\n", rb"\1 escape\n", "forged"),
        (rb" a\n(?=Gitedit-Edit)", b" b\n", "forged"),
        (rb"100644:100644", b"100644:100755", "forged"),
        (rb"Gitedit-Edit:[^G]*", b"", "incomplete"),
        (rb"Gitedit-File:[^G]*", b"", "incomplete"),
        (rb"(?s)Gitedit-(File|Edit):.*", b"", "incomplete"),
        (rb"(Gitedit-Edit: )[0-9a-f]{4}", rb"\g<1>0000", "incomplete"),
        (rb"(Gitedit-Edit: [0-9a-f]{16}) 0\.0", rb"\1 0.x", "incomplete"),
    ],
)
def test_altered_lines_are_never_verified(work, old, new, status):
    body, count = re.subn(old, new, message(work), count=1)
    assert count
    work.commit(None, body, "--amend")
    found = head(work)
    assert found[0] == status
    if status == "incomplete":
        [report] = audited(work).commits
        assert {finding.level for finding in report.findings} == {"warning"}


def test_lost_lines_are_an_error_when_the_commit_is_another(work):
    body = re.sub(rb"Gitedit-Edit:[^G]*", b"", message(work), count=1)
    amend(work, {"b": "x\n"})
    work.commit(None, body, "--amend")
    [report] = audited(work).commits
    assert (report.status, report.findings[0].level) == ("incomplete", "error")


def test_lost_record_line_is_incomplete(work):
    body = re.sub(rb"Gitedit-Record:[^G]*", b"", message(work), count=1)
    work.commit(None, body, "--amend")
    assert head(work)[0] == "incomplete"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: "```\n" + body + "```\n",
        lambda body: "".join(f"> {item}\n" for item in body.splitlines()),
        lambda body: "".join(f"| {item}\n" for item in body.splitlines()),
        lambda body: "so it says " + " ".join(body.split()) + "\n",
        lambda body: "Gitedit-Record: is a key that we like\n",  # noqa: ARG005
    ],
)
def test_quoted_record_is_no_finding(work, wrap):
    block = message(work).decode().partition("\n\nGitedit-Record")[2]
    work.commit(
        {"a": "other\n"}, "Speak of a record\n\n" + wrap("Gitedit-Record" + block) + "\nMore prose, no trailer.\n"
    )
    assert head(work) == ("no-record", None, [])
    assert audited(work).commits == ()


def test_record_of_other_paths_in_the_body_is_a_quotation(work):
    block = message(work).decode().partition("\n\nGitedit-Record")[2]
    work.commit({"b": "other\n"}, "Speak of it\n\nGitedit-Record" + block + "\nMore prose, no trailer.\n")
    assert head(work) == ("no-record", None, ["quotation"])
