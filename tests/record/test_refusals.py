import pytest

from gitedit.errors import BatchError
from gitedit.record.refusals import check_text, check_value, warnings_for


@pytest.mark.parametrize("value", ["Claude:claude-opus-4", "a b", "é 😀", "T <t@example.invalid>", "x" * 512])
def test_check_value_passes(value):
    assert check_value("agent", value) is value


@pytest.mark.parametrize(
    "value",
    ["", " ", "a\n", "\r", "a\tb", "\x1b[1m", "\x85", "\x9b", "\u2029", "\u2066x", "a\udc80", "\ud800", "x" * 513],
)
def test_check_value_refuses(value):
    with pytest.raises(BatchError) as refusal:
        check_value("agent", value)
    assert refusal.value.code == "bad-provenance"
    assert refusal.value.exit_status == 3
    assert refusal.value.message.startswith("the agent ")
    assert refusal.value.hint


@pytest.mark.parametrize("text", ["a", "a\n\nb\n", "a\r\nb\r\n", "a\tb", "\n\na", "#1", "---", "a\u2028b"])
def test_check_text_passes(text):
    assert check_text(text) is text


@pytest.mark.parametrize(
    "text",
    ["", "\n", " \n\t\n", "\u00a0", "a\0b", "a\rb", "a\r", "\x1b[2J", "a\x0cb", "\x7f", "\x85", "\udcff"],
)
def test_check_text_refuses(text):
    with pytest.raises(BatchError) as refusal:
        check_text(text)
    assert refusal.value.code == "bad-provenance"


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a\n\nb\n\n-- \nsig",
        "---\ndiff -x",
        "From: a\nDate: b\n\nbody",
        "a\n\nb\n\nFrom: x",
        "a\n\n---x\n",
        "a\n\n----\n",
        "a\n\nindex: x\n",
        "a\n\nsnip >8 here and more words\n",
        "a\n\ndiff a b\n",
    ],
)
def test_no_warning(text):
    assert warnings_for(text) == ()


@pytest.mark.parametrize(
    ("text", "number", "kind"),
    [
        ("a\n\nb\n---\nc", 4, "`---`"),
        ("a\n\n---  \t\r\nc", 3, "`---`"),
        ("a\n\n--- a/file", 3, "`---`"),
        ("a\n\ndiff --git a b", 3, "`diff -`"),
        ("a\n\nIndex: x", 3, "`Index:`"),
        ("a\n\n-- >8 -- cut", 3, "scissors"),
        ("a\n\n  --- 8< ---  ", 3, "scissors"),
        ("a\n\n# ------------------------ >8 ------------------------", 3, "scissors"),
        ("\n\na\nb\n \n\n---", 7, "`---`"),
        ("a\n\nFrom: T <t@example.invalid>\n\nb", 3, "`From:`"),
        ("a\n\n\nsubject: b", 4, "`subject:`"),
        ("a\n\nDATE: b", 3, "`DATE:`"),
    ],
)
def test_warning(text, number, kind):
    (warning,) = warnings_for(text)
    assert warning.startswith(f"line {number} ")
    assert kind in warning


def test_headers_open_the_body_one_after_the_other():
    assert len(warnings_for("a\n\nFrom: x\nDate: y\n\nSubject: z\nb\nFrom: c")) == 3
