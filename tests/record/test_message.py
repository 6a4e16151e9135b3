import os
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitedit.errors import BatchError, VerificationError
from gitedit.record.message import fits_in_message, record_lines, render
from gitedit.record.read import read_message
from gitedit.record.summary import default_text

from .facts import AGENT, SIGNER, A, B, changed, paths, record_of, records, values

RECORD = record_of(A)
BLOCK = "\n".join(record_lines(RECORD)) + "\n"
SOB = f"Signed-off-by: {SIGNER}"
CUT = "# ------------------------ >8 ------------------------"


def test_message_of_one_edit_to_the_letter():
    (edit,) = record_of(B).files[0].edits
    value = dict(token.partition("=")[::2] for token in record_of(B).tokens)
    own = record_of(B).id
    assert render(default_text([B]), record_of(B), assisted_by=AGENT, signoff=SIGNER) == (
        "Edit src/b.py: 1 replacement\n"
        "\n"
        "- src/b.py 1 -> 1 exact\n"
        "\n"
        "Gitedit-Record: v1 mode=strict files=1 edits=1 tool=gitedit/0.1.0\n"
        " agent=Claude:claude-opus-4\n"
        f" delta={value['delta']}\n"
        f" change={value['change']}\n"
        f" lines={value['lines']}\n"
        f" batch={value['batch']}\n"
        f" id={own}\n"
        f"Gitedit-File: {own} 0 100644:100644\n"
        f" {B.old_oid}\n"
        f" {B.new_oid} src/b.py\n"
        f"Gitedit-Edit: {own} 0.0 0+5:0+5~4 exact\n"
        f" {edit.old_hash}:{edit.new_hash}\n"
        "Assisted-by: Claude:claude-opus-4\n"
        "Signed-off-by: T <t@example.invalid>\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a\n\nb",
        "a\n\n\n\nb  ",
        "Foo: bar",
        SOB,
        f"a\n{SOB}",
        "feat!: x\n\nBREAKING CHANGE: drops y\nRefs #12",
        "#42 a\n\n# Why\nbecause",
        "a\n\n#1234",
        "fix\n\n; keep me",
        "subj\n\nintro\n\n---\n\nmore text",
        "a\n\n```\ncode",
        "\n\n  a",
        "a\n\n" + SOB + "\nb\nc\nd\ne",
        "a\r\n\r\nb\r",
        "a\n\nConflicts:\n\tx",
        "a\n\n- x: y",
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n\n \n"])
def test_text_is_kept_and_the_block_is_a_paragraph(text, end):
    if text.endswith("\r"):
        end = "\n" + end
    assert render(text + end, RECORD) == f"{text}\n\n{BLOCK}"


@pytest.mark.parametrize(
    "text",
    [
        f"a\n\n{SOB}",
        "a\n\nb\n\nChange-Id: I1",
        f"a\n\nb\nc\n{SOB}",
        "a\n\nFoo: bar\n folded",
        f"a\r\n\r\n{SOB}\r",
        "a\n\nFoo: x\n# comment\nBar: y",
    ],
)
def test_block_joins_the_users_trailers(text):
    assert render(text + "\n", RECORD) == f"{text}\n{BLOCK}"


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (f"a\n\n{SOB}\n", "# comment\n"),
        (f"a\n\n{SOB}\n", "\n# comment\n"),
        (f"a\n\n{SOB}\n", "\nConflicts:\n\tx\n"),
        (f"a\n\n{SOB}\n", f"{CUT}\nb\n"),
        ("a\n\nb\n\n", f"\n{CUT}\nb\n\nFoo: x\n"),
    ],
)
def test_block_stands_where_git_looks_for_it(head, tail):
    assert render(head.rstrip("\n") + "\n" + tail, RECORD) == head + BLOCK + tail


def test_blank_lines_before_a_cut_do_not_part_the_block_from_the_text():
    assert render(f"a\n \n\t\n{CUT}\nb", RECORD) == f"a\n\n{BLOCK}{CUT}\nb\n"


def test_text_that_is_only_a_cut_is_refused():
    with pytest.raises(BatchError) as refusal:
        render(f"{CUT}\nb", RECORD)
    assert refusal.value.code == "bad-provenance"


def test_trailers_already_there_are_not_doubled():
    text = f"a\n\nAssisted-by: {AGENT}\n{SOB}\n"
    assert render(text, RECORD, assisted_by=AGENT, signoff=SIGNER) == text + BLOCK
    assert render("a", RECORD, signoff=SIGNER) == f"a\n\n{BLOCK}{SOB}\n"


@pytest.mark.parametrize("key", ["assisted_by", "signoff"])
@pytest.mark.parametrize("value", ["", "x\nGitedit-Record: v1", "x\r", "\x1b"])
def test_trailers_with_control_characters_are_refused(key, value):
    with pytest.raises(BatchError) as refusal:
        render("a", RECORD, **{key: value})
    assert refusal.value.code == "bad-provenance"


@pytest.mark.parametrize("text", ["", "\n", " \n\t", "a\0b", "a\rb", "\x1b]0;x\x07"])
def test_text_with_control_characters_is_refused(text):
    with pytest.raises(BatchError) as refusal:
        render(text, RECORD)
    assert refusal.value.code == "bad-provenance"


def test_no_line_is_wider_than_72_where_the_tokens_allow():
    record = record_of(A, B, changed("x" * 100, (b"1", b"2")), session="s" * 90)
    wide = [line for line in record_lines(record) if len(line) > 72]
    assert [len(line) for line in wide] == [99, 101]


# A line that our reader would take for ours is quoted, and what is folded under it.


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a\n\nGitedit-Record: v1", "a\n\n| Gitedit-Record: v1"),
        ("a\n\n  * gitedit-FILE:", "a\n\n|   * gitedit-FILE:"),
        ("Gitedit-Edit: a", "| Gitedit-Edit: a"),
        ("a\n\nGitedit-Edit: a\n b\n\tc\nd\n e", "a\n\n| Gitedit-Edit: a\n|  b\n| \tc\nd\n e"),
        ("a\n\n```\nGitedit-Edit: a", "a\n\n```\n| Gitedit-Edit: a"),
    ],
)
def test_our_keys_are_quoted(text, quoted):
    assert render(text, RECORD).startswith(f"{quoted}\n\n{BLOCK[:20]}")


@pytest.mark.parametrize(
    "text",
    [
        "a\n\nsee Gitedit-Record: v1",
        "a\n\n> Gitedit-Record: v1",
        "a\n\n| Gitedit-Record: v1",
        "a\n\n```\nGitedit-Record: v1\n b\n```",
        "a\n\n~~~ text\nGitedit-Record: v1\n~~~",
        "a\n\n# Gitedit-Record: v1\nb",
        "a\n\nGitedit-Recorder: v1\nb",
        "a\n\n" + " " * 41 + "Gitedit-Record: v1",
    ],
)
def test_other_mentions_stay(text):
    assert render(text, RECORD) == f"{text}\n\n{BLOCK}"


def test_quoting_takes_the_line_out_of_the_users_trailers():
    text = f"a\n\n{SOB}\nGitedit-File: x\nFoo: bar"
    assert render(text, RECORD) == f"a\n\n{SOB}\n| Gitedit-File: x\nFoo: bar\n{BLOCK}"
    assert render("a\n\nGitedit-File: x\nFoo: bar", RECORD) == f"a\n\n| Gitedit-File: x\nFoo: bar\n\n{BLOCK}"


@pytest.mark.parametrize("indent", ["", " ", "    ", "* ", "\t* "])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_whole_message_given_as_text_claims_nothing(indent, ending):
    other = render("other\n\nbody", record_of(B), signoff=SIGNER)
    text = ending.join(indent + line for line in other.rstrip("\n").split("\n")) + ending
    for given_text in (text, "a\n\n" + text, f"a\n\n```\n{text}```\n", f"a\n\n```\n{text}", text + "\n```\n"):
        reading = read_message(render(given_text, RECORD))
        assert [found.record for found in reading.records] == [RECORD]
        assert not reading.strays


def test_the_same_message_given_again_claims_once():
    message = render(default_text([A]), RECORD)
    again = render(message, RECORD)
    assert [(found.record, found.position) for found in read_message(again).records] == [(RECORD, "trailer")]
    assert again.count("\n| Gitedit-Record") == 1


def test_a_record_that_does_not_read_back_is_refused():
    for broken in (
        RECORD._replace(id="0" * 16),
        RECORD._replace(files=()),
        RECORD._replace(tokens=(*RECORD.tokens, "x")),
        RECORD._replace(tokens=("v2", *RECORD.tokens[1:])),
    ):
        with pytest.raises(VerificationError) as refusal:
            render("a", broken)
        assert refusal.value.code == "verification-failed"


def test_lines_in_a_ref_stay_out_of_the_message():
    record = record_of(A, lines_in_ref=True)
    message = render("a", record)
    assert "Gitedit-File" not in message
    assert "Gitedit-Edit" not in message
    (found,) = read_message(message).records
    assert found.record == record._replace(files=())
    assert (found.lost, found.forged) == (0, None)


def test_budget_counts_edit_lines():
    def edits(count):
        return record_of(changed("a", *(piece for _ in range(count) for piece in ((b"1", b"2"), b"\n"))))

    assert fits_in_message(edits(64))
    assert not fits_in_message(edits(65))
    assert fits_in_message(record_of(changed("a", *[(b"1", b"2"), b"\n"] * 65), lines_in_ref=True))


def test_budget_counts_bytes():
    def named(length):
        return record_of(changed("x" * length, (b"1", b"2")))

    spare = 8192 - sum(len(line) + 1 for line in record_lines(named(1000))) + 1000
    assert fits_in_message(named(spare))
    assert not fits_in_message(named(spare + 1))


LINES = [
    *["a", "", "", " ", SOB, "Foo: x", "# c", "```", "~~~", "```py", "| q", "> Gitedit-Record: v1", "---", "\tx", " c"],
    *[
        "Gitedit-Record: v1 id=0",
        "* Gitedit-File: x",
        CUT,
        "Conflicts:",
        *record_lines(record_of(B)),
        "BREAKING CHANGE: x",
    ],
]
texts = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=12).map("\n".join),
).filter(lambda text: text.strip() and not text.lstrip().startswith(CUT))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, records(), st.none() | values, st.none() | values)
def test_render_reads_back(text, record, assisted_by, signoff):
    reading = read_message(render(text, record, assisted_by=assisted_by, signoff=signoff))
    assert [(found.record, found.position) for found in reading.records] == [(record, "trailer")]


@settings(deadline=None)
@given(st.lists(paths, min_size=1, max_size=3, unique=True))
def test_default_text_reads_back_for_any_path(names):
    files = [changed(name, (b"1", b"2")) for name in names]
    text = default_text(files)
    assert len(text.split("\n")) == 2 + len(files)
    record = record_of(*files)
    message = render(text, record)
    assert message.startswith(text + "\n")
    assert read_message(message.encode()).records[0].record == record


def test_git_finds_the_record_too(tmp_path):
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for text in (
        f"a\n\n{SOB}\n\n# c",
        f"a\n\n{SOB}\n{CUT}\nb",
        f"a\n\nb\n{CUT}\nb",
        "a\n\nBREAKING CHANGE: b",
        "a\n\n---\nb",
    ):
        done = subprocess.run(
            ["git", "interpret-trailers", "--parse", "--no-divider"],
            input=render(text, RECORD).encode(), capture_output=True, env=env, cwd=tmp_path, check=True,
        )  # fmt: skip
        found = [line for line in done.stdout.decode().split("\n") if line and not line.startswith("Signed")]
        assert found[0] == f"Gitedit-Record: {' '.join(RECORD.tokens)} id={RECORD.id}"
        assert len(found) == 4
        assert (SOB in text) == (SOB in done.stdout.decode())
