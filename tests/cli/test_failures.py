"""However a command ends: an exit status, one clear sentence, and with --json one document."""

import json
import os
import subprocess

import pytest

from .command import BATCH, DRIVEN, driven, run


def test_result_is_a_line_a_file_and_the_commit_when_piped(environment):
    said = driven(environment, "committed", "apply")
    assert said == (0, f"src/mixed.txt: 1 edit, +1 -1 (exact 2)\ncommit {'1234567890' * 4}\n", "")


def test_warnings_are_on_standard_error_when_there_are_some(environment):
    said = driven(environment, "warned", "apply")
    assert (said.status, said.err) == (0, "warning: careful␛\n")


def test_patch_alone_is_on_standard_output_when_a_diff_is_asked_for(environment):
    said = driven(environment, "committed", "apply", "--diff")
    assert said.out.startswith("diff --git a/src/mixed.txt b/src/mixed.txt\n")
    assert said.err.startswith("src/mixed.txt: 1 edit")
    assert driven(environment, "committed", "apply", "--diff", "-q") == (0, said.out, "")


@pytest.mark.parametrize(
    ("how", "status", "code", "text"),
    [
        ("batch", 3, "bad-batch", "error: not JSON␛[2J\nhint: a hint\n"),
        ("missed", 4, "not-found", "error: m\n  a: m\n  b: n\n"),
        ("symlink", 5, "symlink", "error: m\n"),
        ("os", 74, "io-error", 'error: "a\\033b": Permission denied\n'),
        ("child", 74, "io-error", "error: Broken pipe\n"),
        ("SIGINT", 130, "interrupted", "error: interrupted by SIGINT\n"),
        ("SIGTERM", 143, "interrupted", "error: interrupted by SIGTERM\n"),
        ("SIGHUP", 129, "interrupted", "error: interrupted by SIGHUP\n"),
    ],
)
def test_refusal_is_text_or_a_document_when_a_command_ends_badly(environment, how, status, code, text):
    assert driven(environment, how, "apply") == (status, "", text)
    said = driven(environment, how, "--json", "apply")
    assert (said.status, said.err) == (status, "")
    assert json.loads(said.out)["ok"] is False
    assert json.loads(said.out)["error"]["code"] == code
    assert said.out.count("\n") == 1


def test_usage_error_is_text_when_a_setting_is_wrong(environment):
    assert driven(environment, "usage", "apply", "--json") == (2, "", "error: GITEDIT_MODE is 'x'\n")


@pytest.mark.parametrize(
    ("how", "name"), [("bug", "KeyError"), ("recursion", "RecursionError"), ("memory", "MemoryError")]
)
def test_bug_is_one_sentence_and_a_report_when_anything_else_is_raised(environment, how, name):
    said = driven(environment, how, "--json", "apply")
    assert said.status == 70
    assert json.loads(said.out)["error"]["code"] == "internal"
    assert said.err.startswith("--- please report ---\ngitedit ")
    text = driven(environment, how, "apply")
    lines = text.err.splitlines()
    assert (text.status, text.out) == (70, "")
    assert lines[:2] == [f"error: gitedit itself failed ({name})", "hint: this is a bug: please report the text below"]
    assert any(line.startswith("Traceback ") for line in lines)
    assert lines[-1] == "---"
    assert "\x1b" not in text.err
    assert len(lines) < 80


@pytest.mark.parametrize(("how", "status"), [("SIGTERM", 143), ("SIGHUP", 0)])
def test_hangup_stays_ignored_when_nohup_started_us(environment, how, status):
    done = subprocess.run(
        ["sh", "-c", 'trap "" HUP; HOW=$0 exec "$@"', how, *DRIVEN, "apply"],
        check=False,
        capture_output=True,
        input=BATCH,
        env={**environment, "SLEEP": "0"},
    )
    assert done.returncode == status


# -- standard streams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["apply", "--json"], ["apply"], ["apply", "--diff"], ["--help"], ["schema"]])
def test_command_ends_quietly_when_the_reader_is_gone(environment, arguments):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*DRIVEN, *arguments],
        check=False,
        input=BATCH,
        env={**environment, "HOW": "big"},
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_command_ends_quietly_when_the_reader_stops_early(environment):
    line = 'set -o pipefail; "$@" </dev/null | head -c 1 >/dev/null'
    done = subprocess.run(
        ["bash", "-c", line, "bash", *DRIVEN, "apply", "--json"],
        check=False,
        capture_output=True,
        env={**environment, "HOW": "big"},
    )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [["apply", "--json"], ["apply"], ["--help"], ["--version"], ["schema"]])
def test_status_is_74_when_the_output_cannot_be_written(environment, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*DRIVEN, *arguments],
            check=False,
            input=BATCH,
            env={**environment, "HOW": "committed"},
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 74
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.endswith(b"No space left on device\n")


@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm_when_there_is_nothing_to_say_there(environment, closing):
    line = f'"$@" {closing}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *DRIVEN, "apply", "-C", "d", "--json"],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**environment, "HOW": "committed"},
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_is_whole_when_the_pipe_is_non_blocking(environment):
    read, write = os.pipe()
    os.set_blocking(write, False)
    child = subprocess.Popen(
        [*DRIVEN, "apply", "--diff", "-q"], stdin=subprocess.DEVNULL, env={**environment, "HOW": "big"}, stdout=write
    )
    os.close(write)
    with open(read, "rb") as stream:
        said = stream.read()
    assert child.wait() == 0
    assert said.count(b"\n") == 200_004


# -- the batch -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["apply"], ["apply", "-"], ["apply", "given.json"], ["-C", "d", "apply", "../given.json"]]
)
def test_batch_is_read_when_it_is_a_file_or_standard_input(environment, tmp_path, arguments):
    (tmp_path / "given.json").write_bytes(BATCH)
    (tmp_path / "d").mkdir()
    said = run(environment, *arguments, data=BATCH, cwd=tmp_path, program=DRIVEN, HOW="request")
    assert f"batch={len(BATCH)}," in said.out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing", "cannot read the batch file missing: No such file or directory"),
        ("folder", "cannot read the batch file folder: Is a directory"),
        ("missing/x\x1b", r'cannot read the batch file "missing/x\033": No such file or directory'),
        ("file/x", "cannot read the batch file file/x: Not a directory"),
    ],
)
def test_batch_is_an_io_error_when_it_cannot_be_read(environment, tmp_path, name, sentence):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    said = run(environment, "apply", name, cwd=tmp_path, program=DRIVEN)
    hint = "a path is relative to the current folder, or to -C; `-` is standard input"
    assert said == (74, "", f"error: {sentence}\nhint: {hint}\n")
    document = json.loads(run(environment, "apply", "--json", name, cwd=tmp_path, program=DRIVEN).out)
    assert document["error"]["code"] == "io-error"


def test_reading_stops_when_the_batch_is_too_large(environment):
    said = run(environment, "apply", "/dev/zero", program=DRIVEN, HOW="request")
    assert f"batch={(64 << 20) + 1}," in said.out


# -- a terminal ----------------------------------------------------------------------------------------------------


def at_terminal(environment, how, *arguments, **variables):
    """Run with a terminal of 60 columns as standard output and error; return (status, what it showed)."""
    pty = pytest.importorskip("pty")
    fcntl, struct, termios = (pytest.importorskip(name) for name in ("fcntl", "struct", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    child = subprocess.Popen(
        [*DRIVEN, *arguments],
        stdin=theirs if how == "nothing" else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm", "HOW": how, **variables},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux: EIO once the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return child.wait(), shown.decode()


def test_batch_is_a_usage_error_when_standard_input_is_a_terminal(environment):
    status, shown = at_terminal(environment, "nothing", "apply", "--json")
    assert status == 2
    assert "error: no batch: name a file, or send one to standard input" in shown


def test_terminal_shows_a_coloured_diff_when_applied(environment):
    status, shown = at_terminal(environment, "committed", "apply")
    assert status == 0
    assert "\x1b[32m  +2 2\x1b[0m" in shown
    assert "one␍" in shown
    assert "1234567890" in shown


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminal_shows_no_colour_when_it_is_not_wanted(environment, variables):
    for how, arguments in (("committed", []), ("committed", ["--diff"]), ("warned", []), ("batch", [])):
        _, shown = at_terminal(environment, how, "apply", *arguments, **variables)
        assert "\x1b" not in shown
        assert shown


def test_error_is_red_when_on_a_terminal(environment):
    status, shown = at_terminal(environment, "batch", "apply")
    assert (status, shown.splitlines()[0]) == (3, "\x1b[31merror:\x1b[0m not JSON␛[2J")


def test_rich_is_not_imported_when_piped(environment):
    program = [DRIVEN[0], "-X", "importtime", DRIVEN[1]]
    said = run(environment, "apply", data=BATCH, program=program, HOW="committed")
    assert (said.status, "import time:" in said.err) == (0, True)
    assert " rich.console" not in said.err
