"""What git will keep of a message, and the records of a squash in its trailer block."""

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.record.collect import as_committed, collected
from gitedit.record.message import record_lines, render
from gitedit.record.read import read_message

from .facts import SIGNER, A, B, record_of, records

ONE, TWO = record_of(A), record_of(B)
COMMENT = "\n# Please enter the commit message.\n#\n"


def squash(*messages, end=COMMENT):
    """Return what `git merge --squash` writes."""
    parts = [f"commit {n:040}\nAuthor: {SIGNER}\n\n{textwrap.indent(m, '    ')}" for n, m in enumerate(messages)]
    return "Squashed commit of the following:\n\n" + "\n".join(parts) + end


def trailers(message):
    return [found.record for found in read_message(message).records if found.position == "trailer"]


# -- what is committed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a\n", "a\n\nb: c\n", "a #b\n"])
def test_text_stays_when_there_is_nothing_to_clean(text):
    assert as_committed(text, "#") == text


@pytest.mark.parametrize(
    ("text", "comment", "kept"),
    [
        ("a\n# b\nc\n", "#", "a\nc\n"),
        ("a\n; b\n# c\n", ";", "a\n# c\n"),
        ("a\n// b\n", "//", "a\n"),
        ("a\n# ------------------------ >8 ------------------------\n Gitedit-Record: v1\n", "#", "a\n"),
    ],
)
def test_comments_and_what_scissors_cut_are_gone(text, comment, kept):
    assert as_committed(text, comment) == kept


# -- what is collected ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "",
        "plain\n",
        render("Subject", ONE),
        squash("plain\n"),
        squash(render("a", ONE).replace("mode=strict", "mode=x")),
        squash("\n".join(render("a", ONE).splitlines()[:-1])),
        f"Quote\n\n```\n{render('a', ONE)}```\n",
        f"Quote\n\n{textwrap.indent(render('a', ONE), '> ')}\n",
    ],
)
def test_nothing_is_collected_when_no_whole_record_is_in_the_body(message):
    assert collected(message) is None


def test_records_move_into_the_block_in_front_of_the_comments():
    new = collected(squash(render("One", ONE), render("Two", TWO)))
    assert trailers(new) == [ONE, TWO]
    assert new.endswith("\n".join(record_lines(TWO)) + "\n" + COMMENT)
    assert new.count("Gitedit-Record:") == 2
    assert "    One\n" in new
    assert "    Two\n" in new
    assert "\n\n\n" not in new


def test_other_trailers_stay_where_they_are():
    new = collected(squash(render("One", ONE, assisted_by="A:b", signoff=SIGNER)))
    assert f"    Assisted-by: A:b\n    Signed-off-by: {SIGNER}\n" in new
    assert trailers(new) == [ONE]


def test_records_join_the_trailers_that_the_message_has():
    new = collected(squash(render("One", ONE), end=f"\nSigned-off-by: {SIGNER}\n"))
    assert f"\n\nSigned-off-by: {SIGNER}\nGitedit-Record: " in new


def test_messages_of_a_rebase_are_collected_when_they_are_not_indented():
    first = "# This is a combination of 2 commits.\n# This is the 1st commit message:\n\n"
    message = first + render("One", ONE) + "\n# This is the commit message #2:\n\n" + render("Two", TWO) + COMMENT
    assert {record.id for record in trailers(collected(message))} == {ONE.id, TWO.id}


def test_nothing_is_left_to_collect_when_it_was_done():
    new = collected(squash(render("One", ONE)))
    assert collected(new) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(records(), min_size=1, max_size=3, unique_by=lambda record: record.id))
def test_every_record_is_in_the_block_whatever_it_holds(found):
    new = collected(squash(*(render(f"Commit {n}", record) for n, record in enumerate(found))))
    assert trailers(new) == found
