"""Forging attempts through `apply` itself: what the audit reads is what apply wrote, or apply refuses."""

import json

import pytest

from gitedit.commands.apply import apply
from gitedit.commands.request import ApplyRequest
from gitedit.errors import EditError
from gitedit.record.read import read_message
from tests.audit.recorded import edit, environ, head, line, message, text


@pytest.fixture
def work(repo):
    repo.commit({"a": text(), "b": text(word="row")})
    return repo


def applied(repo, path="a", **more):
    batch = {"path": path, "edits": [{"oldText": line(10), "newText": "ten\n"}]}
    with environ(repo.env):
        return apply(ApplyRequest(json.dumps(batch).encode(), directory=repo.path, commit=True, **more)).commit


def record(repo):
    [found] = read_message(message(repo)).records
    return found.record


def other_record(repo):
    """Return the message of a recorded commit that is not on the branch."""
    edit(repo, "b", (line(3, "row"), "three\n"))
    whole = message(repo).decode()
    repo.git("reset", "-q", "--hard", "HEAD~1")
    return whole


def test_apply_writes_what_audit_verifies(work):
    applied(work, agent="Claude:opus", session="s")
    assert head(work) == ("verified", "exact", [])


@pytest.mark.parametrize("what", ["agent", "session"])
@pytest.mark.parametrize(
    "value", ["x\nGitedit-Record: v1", "x\r", "x\0", "\x1b[31m", "x\u2028y", "a b=c id=0", "délta=1", "%0A"]
)
def test_agent_and_session_cannot_add_tokens_or_lines(work, what, value):
    before = work.oid()
    if what == "agent" and ":" not in value:
        value = "A:" + value
    try:
        applied(work, **{what: value})
    except EditError as error:
        refused = error.code
    else:
        refused = None
    if refused:
        assert (refused, work.oid()) == ("bad-provenance", before)
        return
    assert head(work)[0] == "verified"
    assert len(read_message(message(work)).records) == 1
    assert len([token for token in record(work).tokens if token.startswith(("delta=", "id="))]) == 1


@pytest.mark.parametrize("shape", ["whole", "block", "indented", "bulleted", "upper", "fenced", "after", "first"])
def test_message_that_contains_a_whole_record_is_quoted(work, shape):
    whole = other_record(work)
    block = whole[whole.index("Gitedit-Record") :]
    messages = {
        "whole": whole,
        "block": "subject\n\n" + block,
        "indented": "subject\n\n" + "".join(f"    {item}\n" for item in block.splitlines()),
        "bulleted": "subject\n\n* " + block,
        "upper": "subject\n\n" + block.replace("Gitedit-", "GITEDIT-"),
        "fenced": "subject\n\n```\n" + block + "```\n",
        "after": "subject\n\nbody\n\n" + block + "\nmore\n",
        "first": block,
    }
    applied(work, message=messages[shape])
    assert head(work) == ("verified", "exact", [])
    assert [file.path for file in record(work).files] == ["a"]


@pytest.mark.parametrize(
    "config",
    [
        ("trailer.Gitedit-Record.key", "Spoilt: "), ("trailer.separators", "%="), ("trailer.Gitedit-Edit.cmd", "x"),
        ("trailer.ifexists", "replace"), ("trailer.where", "start"), ("core.commentChar", "G"),
        ("core.commentString", "Gitedit"), ("i18n.commitEncoding", "ISO-8859-1"), ("i18n.commitEncoding", "UTF-16"),
        ("commit.cleanup", "scissors"), ("commit.template", "/dev/null"), ("commit.verbose", "true"),
    ],
)  # fmt: skip
def test_configuration_cannot_spoil_the_record(work, config):
    work.git("config", *config)
    applied(work, message="Sübject\n\n# no comment\n\nSigned-off-by: T <t@example.invalid>\n")
    assert head(work) == ("verified", "exact", [])
    assert "Sübject\n" in message(work).decode()


def test_path_with_a_newline_cannot_add_a_line(work):
    path = "a\nGitedit-Record: v1"
    work.commit({path: text()})
    applied(work, path=path)
    assert head(work) == ("verified", "exact", [])
    assert [file.path for file in record(work).files] == [path]


def test_large_batches_keep_their_lines_in_a_ref(work):
    work.commit({"a": text(400)})
    batch = {"path": "a", "edits": [{"oldText": line(n), "newText": f"new {n}\n"} for n in range(100, 400, 3)]}
    with environ(work.env):
        apply(ApplyRequest(json.dumps(batch).encode(), directory=work.path, commit=True))
    assert record(work).lines_in_ref
    assert head(work) == ("verified", "exact", [])
    work.git("update-ref", "-d", f"refs/gitedit/records/{record(work).id}")
    assert head(work)[0] == "incomplete"
