import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.record.digests import record_id
from gitedit.record.message import record_lines, render
from gitedit.record.model import Record
from gitedit.record.read import key_of, read_message
from gitedit.record.summary import default_text

from .facts import AGENT, SIGNER, A, B, logical_lines, record_of, records, wrapped

RECORD, OTHER = record_of(A, B), record_of(B, agent="Other:1")
LINES = logical_lines(RECORD)
MESSAGE = render(default_text([A, B]), RECORD, assisted_by=AGENT, signoff=SIGNER)
NOTHING = ((), (), (), False)


def claims(message):
    """(record, position) of each record, where nothing is wrong."""
    reading = read_message(message)
    assert not reading.strays
    for found in reading.records:
        assert (found.malformed, found.unsupported, found.lost, found.forged) == (None, None, 0, None)
        assert found.paths == tuple(file.path for file in found.record.files)
    return [(found.record, found.position) for found in reading.records]


@pytest.mark.parametrize(
    "message",
    [
        "",
        "\n",
        "a",
        "a\n\nb\n",
        "a\n\nSee Gitedit-Record: v1 id=0\n",
        "a\n\nGitedit-Recorder: x",
        b"\xff\xfe",
        "a\udcff",
        "\ud800",
    ],
)
def test_no_record(message):
    assert read_message(message) == NOTHING


def test_own_message():
    assert claims(MESSAGE) == claims(MESSAGE.encode()) == [(RECORD, "trailer")]
    assert read_message(MESSAGE).records[0].line == MESSAGE.split("\n").index(LINES[0][:65]) + 1


def test_nul_is_flagged():
    assert read_message("a\0b").nul
    reading = read_message(MESSAGE.replace("replacements", "replace\0ments"))
    assert reading.nul
    assert reading.records[0].record == RECORD


# What tools do to a message.


@pytest.mark.parametrize("width", [10, 20, 40, 72, 80, 100, 10_000])
@pytest.mark.parametrize("indent", ["", " ", "    ", "\t"])
def test_rewrapped(width, indent):
    block = "\n".join(wrapped(line, width, indent) for line in LINES)
    ((record, _),) = claims(f"a\n\n{block}\n")
    assert record == RECORD


@pytest.mark.parametrize("width", [72, 100, 10_000])
def test_refilled_as_one_paragraph(width):
    block = wrapped(" ".join(LINES), width, "")
    ((record, _),) = claims(f"a\n\n{block}\n")
    assert record == RECORD


def test_sorted_and_doubled():
    block = "\n".join(sorted(LINES * 2))
    assert claims(f"a\n\n{block}\n") == [(RECORD, "trailer")]


@pytest.mark.parametrize("width", [20, 72, 10_000])
def test_folded_lines_doubled(width):
    lines = "\n".join(wrapped(line, width, " ") for line in LINES).split("\n")
    block = "\n".join(line for line in lines for _ in range(2))
    assert claims(f"a\n\n{block}\n") == [(RECORD, "trailer")]


def test_crlf():
    assert claims(MESSAGE.replace("\n", "\r\n")) == [(RECORD, "trailer")]


@pytest.mark.parametrize("prefix", ["    ", "* ", "    * ", "\t", "        * * ", " " * 39 + "*"])
def test_indented_by_a_squash(prefix):
    block = "\n".join(prefix + line for line in MESSAGE.rstrip("\n").split("\n"))
    assert claims(f"Squash\n\n{block}\n") == [(RECORD, "body")]


def test_bulleted_by_a_forge():
    message = f"Squash (#1)\n\n* {MESSAGE}\n* {render('other', OTHER)}"
    assert claims(message) == [(RECORD, "body"), (OTHER, "trailer")]
    assert claims(f"Squash\n\n{MESSAGE}\n\nCo-authored-by: {SIGNER}\n") == [(RECORD, "body")]


def test_keys_in_any_case():
    assert claims(MESSAGE.replace("Gitedit-", "GITEDIT-")) == [(RECORD, "trailer")]
    assert claims(MESSAGE.replace("Gitedit-Record:", "gitedit-record:")) == [(RECORD, "trailer")]


def test_other_trailers_between():
    block = f"\nChange-Id: I1\nReviewed-by: {SIGNER}\n".join(LINES)
    assert claims(f"a\n\n{block}\n") == [(RECORD, "trailer")]


def test_two_records_in_one_block():
    lines = [*LINES, *logical_lines(OTHER)]
    random.Random(3).shuffle(lines)  # noqa: S311 - any order will do
    found = claims("a\n\n" + "\n".join(lines))
    assert sorted(found) == sorted([(RECORD, "trailer"), (OTHER, "trailer")])


def test_one_record_in_body_and_block_counts_once_as_trailer():
    assert claims(f"Squash\n\n    {LINES[0]}\n\nb\n\n{MESSAGE.partition('exact' + chr(10) * 2)[2]}") == [
        (RECORD, "trailer")
    ]


def test_a_line_copied_into_the_body_spoils_nothing():
    extra = LINES[-1].replace("exact", "unicode")
    assert claims(f"a\n\n{extra}\n\n" + "\n".join(LINES)) == [(RECORD, "trailer")]


@settings(deadline=None)
@given(
    records(), st.integers(1, 120), st.sampled_from(["", " ", "  * "]), st.randoms(use_true_random=False), st.booleans()
)
def test_any_record_survives(record, width, indent, chosen, crlf):
    lines = logical_lines(record) * chosen.randrange(1, 3)
    chosen.shuffle(lines)
    text = "a\n\n" + "\n".join(indent + wrapped(line, width, " " + indent) for line in lines) + "\n"
    ((found, position),) = claims(text.replace("\n", "\r\n") if crlf else text)
    assert found == record
    assert indent.strip() == "" or position == "body"


# Quotations and prose.


def quoted(prefix):
    return "\n".join(prefix + line for line in record_lines(OTHER))


@pytest.mark.parametrize("prefix", ["| ", "> ", "    > ", "> > ", "* | "])
def test_quoted_lines_are_no_claim(prefix):
    reading = read_message(f"a\n\n{quoted(prefix)}\n\n{MESSAGE}")
    assert [found.record for found in reading.records] == [RECORD]
    assert reading.quotations == (3,)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("```", "```"),
        ("~~~", "~~~"),
        ("```text", "```"),
        ("~~~ `x`", "~~~~"),
        ("    ```", "    ``` "),
        ("````", "````\r"),
    ],
)
def test_closed_fence_is_no_claim(opening, closing):
    reading = read_message(f"a\n\n{opening}\n{quoted('')}\n{closing}\n\n{MESSAGE}")
    assert [found.record for found in reading.records] == [RECORD]
    assert reading.quotations == (4,)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("```", ""), ("```", "~~~"), ("````", "```"), ("``", "``"), ("```a`b", ""), ("```", "```x"), ("", "```")],
)
def test_unclosed_fence_hides_nothing(opening, closing):
    reading = read_message(f"a\n\n{opening}\n{quoted('')}\n{closing}\n\nb\n\n{MESSAGE}")
    assert [found.record for found in reading.records] == [OTHER, RECORD]
    assert reading.quotations == ()


def test_fence_around_the_trailer_block_hides_nothing():
    block = "\n".join(record_lines(RECORD))
    assert claims(f"a\n\n```\nb\n\n{block}\n\n# ```\n") == [(RECORD, "trailer")]
    assert claims(f"a\n\n```\nb\n\nSigned-off-by: x\n{block}\n```\n") == [(RECORD, "trailer")]
    reading = read_message(f"a\n\nb\n\n```\n{block}\n```\n")
    assert reading.records == ()
    assert reading.quotations == (6,)


@pytest.mark.parametrize(
    "text",
    [
        "Gitedit-Record: v1",
        "Gitedit-Record: is what we write",
        LINES[0][:-1] + "x",
        LINES[0].replace("strict", "anchored"),
        LINES[0].rpartition(" ")[0],
        LINES[1],
        "Gitedit-Record: v2 id=0000000000000000",
    ],
)
def test_body_without_grammar_and_checksum_is_prose(text):
    assert read_message(f"a\n\n{text}\n\nb\n") == NOTHING
    assert read_message(f"{text}\n") == NOTHING


def test_forty_characters_before_the_key():
    assert key_of(" " * 40 + "Gitedit-Edit: a") == ("Gitedit-Edit:", " a")
    for line in (
        " " * 41 + "Gitedit-Edit:",
        "- Gitedit-Edit:",
        "\u00a0Gitedit-Edit:",
        "Gitedit-Edit",
        "Gitedit-Edit :",
        "",
    ):
        assert key_of(line) is None


# What is wrong with a record.


def found_in(lines, head="a\n\n"):
    (found,) = read_message(head + "\n".join(lines) + "\n").records
    return found


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (LINES[0].replace("strict", "anchored"), "checksum"),
        (LINES[0][:-1], "checksum"),
        (LINES[0].rpartition(" ")[0], "no id="),
        ("Gitedit-Record:", "no id="),
        ("Gitedit-Record: id=", "checksum"),
        (f"Gitedit-Record: v1 x id={record_id(['v1', 'x'])}", "key=value"),
        (f"Gitedit-Record: w1 id={record_id(['w1'])}", "version"),
        (f"Gitedit-Record: v1 id={record_id(['v1'])}", "digest"),
    ],
)
def test_malformed_in_the_trailer_block(line, reason):
    found = found_in([line])
    assert found.position == "trailer"
    assert reason in found.malformed


def test_malformed_keeps_its_lines_from_being_strays():
    reading = read_message("a\n\n" + "\n".join([LINES[0].replace("strict", "anchored"), *LINES[1:]]))
    assert reading.records[0].record.id == RECORD.id
    assert reading.strays == ()


def test_newer_version_is_unsupported_not_malformed():
    tokens = ("v2", "whatever")
    for own in (record_id(tokens), "new-form"):
        found = found_in([f"Gitedit-Record: v2 whatever id={own}"])
        assert (found.unsupported, found.malformed, found.record.tokens) == ("v2", None, tokens)
    found = found_in([f"  Gitedit-Record: v2 whatever id={record_id(tokens)}"])
    assert (found.unsupported, found.position) == ("v2", "body")


@pytest.mark.parametrize("gone", range(1, len(LINES)))
def test_a_line_that_is_not_there_is_lost(gone):
    found = found_in(LINES[:gone] + LINES[gone + 1 :])
    assert (found.lost, found.forged, found.malformed) == (1, None, None)
    assert found.record.files == ()


def test_a_line_that_does_not_parse_is_lost_and_a_stray():
    reading = read_message("a\n\n" + "\n".join([*LINES[:-1], LINES[-1][:-1]]))
    assert reading.records[0].lost == 1
    assert reading.records[0].paths == ("src/a.py", "src/b.py")
    assert reading.strays == (len(LINES) + 2,)


def test_lines_without_their_record_are_strays():
    reading = read_message("a\n\n" + "\n".join(LINES[1:]))
    assert reading.records == ()
    assert reading.strays == tuple(range(3, 3 + len(LINES) - 1))


def test_a_changed_line_is_forged():
    found = found_in([*LINES[:-1], LINES[-1].replace("~4", "~3")])
    assert "lines=" in found.forged
    assert found.record == RECORD._replace(files=())
    assert "one number" in found_in([*LINES, LINES[-1].replace("~4", "~3")]).forged


def test_lines_in_ref_may_be_missing_but_not_wrong():
    record = record_of(A, lines_in_ref=True)
    lines = logical_lines(record)
    assert found_in(lines[:1]).lost == 0
    assert found_in(lines).record == record
    assert found_in([*lines[:-1], lines[-1].replace("exact", "unicode")]).forged


def test_unknown_tokens_are_kept_and_hashed():
    tokens = (*RECORD.tokens, "colour=blue", "n=%41")
    record = Record(record_id(tokens), tokens, RECORD.files)
    assert claims("a\n\n" + "\n".join(logical_lines(record))) == [(record, "trailer")]


def test_an_empty_line_ends_a_line_of_ours():
    reading = read_message("a\n\n" + LINES[0].replace(" id=", "\n\n id="))
    assert (reading.records, len(reading.strays)) == ((), 0)
    assert read_message("a\n\n" + "\n".join(LINES).replace(" id=", "\n  *\n id=") + "\n\nb").records == ()


# Hostile input.

ZERO, ONES, TWOS = "0" * 16, "1" * 40, "2" * 40


@pytest.mark.parametrize(
    "message",
    [
        "a\n\n" + "Gitedit-Record:\n" * 30_000,
        "a\n\n" + "".join(f"Gitedit-Record: {n}\n" for n in range(20_000)),
        "a\n\nGitedit-Record: " + "x " * 200_000,
        "a\n\nGitedit-Record:\n" + " x\n" * 200_000,
        "a\n\nGitedit-Record: " + "gitedit-edit: " * 30_000,
        "a\n\n" + LINES[1] + "\n" + (LINES[2] + "\n") * 5_000 + LINES[0],
        "Gitedit-Edit: x\n" + "\n" * 400_000,
        "Gitedit-Edit: x\n" + "#\n" * 400_000,
        "a\n\nGitedit-Edit: x\n\n" + "```\n" * 100_000,
        "a\n\nGitedit-Edit: x\n\n" + "".join("`" * n + "\n" for n in range(2_000)),
        "a\n\nGitedit-Edit: x\n\n" + " " * 2_000_000 + "Gitedit-Record:",
        "a\n\n" + "*" * 2_000_000 + "\nGitedit-File: " + "1" * 2_000_000,
        f"a\n\nGitedit-File: {ZERO} 0 100644:100644 {ONES} {TWOS} " + "%41" * 100_000,
        f"a\n\nGitedit-Edit: {ZERO} {'9' * 2_000_000}.0 1+1:1+1~1 exact {ZERO}:{ZERO}",
        "a\n\n" + "".join(f"Gitedit-Edit: {n:016x} 0.{n} 1+1:1+1~1 exact {n:016x}:{n:016x}\n" for n in range(5_000)),
        "a\n\n" + "> " * 1_000_000 + "Gitedit-Record:",
    ],
    ids=range(16),
)
def test_hostile_message_takes_linear_time(message):
    start = time.process_time()
    read_message(message)
    assert time.process_time() - start < 5
