"""Text for pipes is stable; text for terminals is short, and nothing in it but colours is for the terminal to obey."""

import re

import pytest

from gitedit.edits.model import Outcome
from gitedit.errors import EditError, MatchError, Problem
from gitedit.report.escapes import c_quoted, shown_path, visible
from gitedit.report.terminal import rendered
from gitedit.report.text import notes, painted_patch, plain, refusal, visible_patch

from .results import committed, file_result, uncommitted, whole

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\r\x08\u202e\u200b\u2028\x7f\udcff"


def harmless(text):
    return all(char.isprintable() for line in COLOURS.sub("", text).splitlines() for char in line)


@pytest.mark.parametrize("text", ["", "plain", "naïve 日本", "a b"])
def test_text_is_untouched_when_it_is_printable(text):
    assert (visible(text), shown_path(text)) == (text, text)


@pytest.mark.parametrize(
    ("text", "shown", "path", "quoted"),
    [
        ("a\r", "a␍", r'"a\r"', r'"a\r"'),
        ("a\tb", "a\tb", r'"a\tb"', r'"a\tb"'),
        ("\x1b[m\x7f", "␛[m␡", r'"\033[m\177"', r'"\033[m\177"'),
        ("\u202eé", "<U+202E>é", r'"\342\200\256é"', r'"\342\200\256\303\251"'),
        ("\udcff", "<FF>", r'"\377"', r'"\377"'),
        ('q"\\', 'q"\\', r'"q\"\\"', r'"q\"\\"'),
        ("é", "é", "é", r'"\303\251"'),
        (" a ", " a ", '" a "', " a "),
        ("\x9b", "<U+009B>", r'"\302\233"', r'"\302\233"'),
    ],
)
def test_characters_get_stand_ins_when_a_terminal_would_obey_them(text, shown, path, quoted):
    assert (visible(text), shown_path(text), c_quoted(text)) == (shown, path, quoted)


def test_plain_text_has_no_commit_line_when_there_is_no_commit():
    assert plain(uncommitted()) == "src/mixed.txt: 1 edit, +1 -1 (exact 2)\n"
    assert notes(uncommitted()) == ""


def test_plain_text_is_a_line_a_file_and_the_commit_when_committed():
    edits = tuple(Outcome("line-trimmed", line, line + line % 2) for line in range(1, 11))
    said = plain(committed(file_result(), file_result("b\nc", edits=edits)))
    assert said == (
        "src/mixed.txt: 1 edit, +1 -1 (exact 2)\n"
        '"b\\nc": 10 edits, +1 -1 (line-trimmed 1-2, line-trimmed 2, line-trimmed 3-4, line-trimmed 4, '
        "line-trimmed 5-6, line-trimmed 6, line-trimmed 7-8, line-trimmed 8, 2 more)\n"
        f"commit {'1234567890' * 4}\n"
    )


def test_notes_name_warnings_and_the_dry_run_when_there_are_some():
    result = uncommitted(dry_run=True, warnings=("a\x1b", "b\nc"))
    assert notes(result) == "warning: a␛\nwarning: b c\ndry run: nothing was written\n"
    assert notes(result, colour=True).startswith("\x1b[33mwarning:\x1b[0m a␛\n")


def test_refusal_is_one_line_when_there_is_nothing_else_to_say():
    only = (Problem("a", 0, "not-found", "m"),)
    assert refusal(EditError("dirty", "m")) == "error: m\n"
    assert refusal(MatchError("not-found", "m", "", only)) == "error: m\n"


def test_refusal_lists_problems_and_hint_when_there_are_several():
    problems = tuple(Problem("a\x07" if index else None, index, "not-found", f"p{index}\x1b") for index in range(22))
    lines = refusal(MatchError("not-found", "m\n\x1b[2J", "do\nthis", problems), colour=True).splitlines()
    assert lines[:3] == ["\x1b[31merror:\x1b[0m m ␛[2J", "  p0␛", '  "a\\a": p1␛']
    assert lines[-3:] == ["  ... and 2 more", "\x1b[36mhint:\x1b[0m do", "\x1b[36mhint:\x1b[0m this"]
    assert len(lines) == 24


def test_patch_is_empty_when_nothing_changed():
    assert painted_patch("") == visible_patch("") == ""


def test_patch_obeys_nothing_when_content_is_hostile():
    patch = f"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{HOSTILE}\n+new\r\n"
    assert harmless(painted_patch(patch))
    assert harmless(visible_patch(patch))
    assert "\x1b[32m+new␍\x1b[0m\n" in painted_patch(patch)
    assert visible_patch(patch).count("\n") == 6


def test_terminal_shows_path_strategy_lines_and_commit_when_committed():
    assert rendered(committed(), 60, colour=False) == (
        "src/mixed.txt  1 edit, +1 -1  exact 2\n"
        "   1 one␍\n"
        "  -2 two\n"
        "  +2 2\n"
        "   3 three␍still three\n"
        "   4 four␍\n"
        "[main 1234567890] verified: exactly +1 -1 in 1 file, record…\n"
    )


def test_terminal_has_no_commit_line_when_there_is_no_commit():
    assert "[" not in rendered(uncommitted(), 80, colour=False)


def test_terminal_is_coloured_when_asked(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")  # the caller decides, not rich
    monkeypatch.setenv("TERM", "dumb")
    said = rendered(committed(), 80, colour=True)
    assert "\x1b[31m  -2 two\x1b[0m" in said
    assert "\x1b[32m  +2 2\x1b[0m" in said


@pytest.mark.parametrize("width", [10, 40, 200])
def test_terminal_lines_fit_and_obey_nothing_when_content_is_hostile(width):
    old = (HOSTILE.encode("utf-8", "surrogateescape") + b"\t" + "日".encode() * 5000 + b"[bold]x[/]\n") * 2
    said = rendered(committed(whole(f"p{HOSTILE}", old, b"new"), ref=None), width, colour=True)
    assert harmless(said)
    lines = COLOURS.sub("", said).splitlines()
    assert max(sum(1 + (char == "日") for char in line) for line in lines) <= width


def test_terminal_shows_few_lines_when_much_changed():
    files = [whole(f"f{index}", b"a\n" * 500, b"b\n" * 500) for index in range(50)]
    said = rendered(committed(*files), 80, colour=True)
    assert said.count("\n") == 50 + 20 * 41 + 1
    assert "... 960 more lines" in said
