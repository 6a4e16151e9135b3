"""A patch is right when git takes it: `git apply` turns the old bytes into the new ones, whatever they are."""

import os
import subprocess
import tempfile

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from gitedit.edits.hunks import changes, first_changed_line
from gitedit.edits.model import Region
from gitedit.report.patch import unified

LINE_PIECES = [
    b"",
    b"a",
    b"b",
    b"\r",
    b"\x0c",
    b"\xe9",
    b"\xff\xfe",
    "\u2028".encode(),
    b" ",
    b"\t",
    b"+x",
    b"-y",
    b"\\ z",
]
line = st.sampled_from(LINE_PIECES)
newline = st.sampled_from([b"\n", b"\n", b"\r\n", b""])
text = st.lists(st.tuples(line, newline), max_size=8).map(lambda rows: b"".join(a + b for a, b in rows))
gap = st.one_of(text.filter(bool), st.integers(1, 9).map(lambda n: b"c\n" * n))
NAMES = [
    "f",
    "a b",
    'q"q',
    "back\\slash",
    "new\nline",
    "tab\t",
    "a => b",
    "é",
    "x\udcff",
    " lead",
    "trail ",
    "{a => b}",
]
name = st.one_of(
    st.sampled_from(NAMES),
    st.text(st.characters(blacklist_characters="/\0", max_codepoint=0x2FF), min_size=1, max_size=6),
)


@st.composite
def versions(draw):
    """(old, new, regions) with regions at least one byte apart, as the engine gives them."""
    old = new = draw(st.one_of(st.just(b""), gap))
    regions = []
    for index in range(draw(st.integers(1, 4))):
        if index:
            between = draw(gap)
            old += between
            new += between
        before = draw(text)
        after = draw(text.filter(lambda data, before=before: data != before))
        regions.append(Region(len(old), len(old) + len(before), len(new), len(new) + len(after), "exact"))
        old += before
        new += after
    end = draw(st.one_of(st.just(b""), gap))
    return old + end, new + end, tuple(regions)


def hermetic(home):
    kept = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C"}
    return kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CEILING_DIRECTORIES": home}


def applied(patch, files):
    """Return the files as `git apply` leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        for path, data in files.items():
            with open(os.path.join(folder, path), "wb") as stream:
                stream.write(data)
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder,
            env=hermetic(os.path.dirname(folder)),
            input=patch.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=True,
        )
        found = {}
        for path in files:
            with open(os.path.join(folder, path), "rb") as stream:
                found[path] = stream.read()
        return found


def region(old, new, start=0):
    return (Region(start, start + len(old), start, start + len(new), "exact"),)


def test_patch_is_empty_when_nothing_changed():
    assert unified("f", b"a\n", b"a\n", ()) == ""
    assert changes(b"a\n", b"a\n", ()) == ()
    assert first_changed_line((), b"a\n") == 1


def test_patch_reads_like_git_s_when_one_line_changes():
    old = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    assert unified("dir/a b", old, old.replace(b"5", b"five"), (Region(8, 9, 8, 12, "exact"),)) == (
        "diff --git a/dir/a b b/dir/a b\n--- a/dir/a b\t\n+++ b/dir/a b\t\n"
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    )


def test_patch_has_no_equal_lines_at_the_ends_when_the_region_is_wide():
    old, new = b"a\nb\nc\nd\n", b"a\nB\nc\nd\n"
    assert unified("f", old, new, region(old, new)).splitlines()[3:] == [
        "@@ -1,4 +1,4 @@",
        " a",
        "-b",
        "+B",
        " c",
        " d",
    ]


@pytest.mark.parametrize(("between", "hunks"), [(1, 1), (6, 1), (7, 2), (20, 2)])
def test_changes_share_a_hunk_when_git_would_join_them(between, hunks):
    middle = b".\n" * between  # a letter would become a hunk's heading
    old, new = b"1\n" + middle + b"2\n", b"3\n" + middle + b"4\n"
    at = len(old) - 2
    patch = unified("f", old, new, (Region(0, 1, 0, 1, "exact"), Region(at, at + 1, at, at + 1, "exact")))
    with tempfile.TemporaryDirectory() as folder:
        for label, data in (("old", old), ("new", new)):
            with open(os.path.join(folder, label), "wb") as stream:
                stream.write(data)
        command = ["git", "diff", "--no-index", "old", "new"]
        said = subprocess.run(command, cwd=folder, env=hermetic(folder), capture_output=True, check=False, text=True)
    assert patch.count("@@ -") == hunks
    assert patch.split("\n", 3)[3] == said.stdout.split("\n", 4)[4]


@pytest.mark.parametrize(
    ("old", "new", "place", "expected"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n", (2, 1, 1), 2),
        (b"a\nb\nc\n", b"a\nc\n", (2, 2, 0), 2),
        (b"a\nb\n", b"a\n", (2, 2, 0), 1),
        (b"a\nb", b"a\n", (2, 1, 0), 1),
        (b"a\n", b"", (0, 2, 0), 1),
        (b"a\nc\n", b"a\nb\nc\n", (2, 0, 2), 2),
        (b"a", b"a\nb", (1, 0, 2), 1),
    ],
)
def test_first_changed_line_is_of_the_new_version_when_lines_come_go_or_change(old, new, place, expected):
    start, length, added = place
    found = changes(old, new, (Region(start, start + length, start, start + added, "exact"),))
    assert first_changed_line(found, new) == expected


def test_patch_is_made_in_linear_time_when_the_file_is_large():
    old = b"some line of text\n" * 200_000
    edges = range(0, len(old), 18 * 200)
    new = bytearray(old)
    for edge in edges:
        new[edge : edge + 4] = b"SOME"
    regions = tuple(Region(edge, edge + 4, edge, edge + 4, "exact") for edge in edges)
    found = changes(old, bytes(new), regions)
    assert len(found) == 1000
    assert [change.old_line for change in found[:3]] == [0, 200, 400]


@pytest.mark.parametrize("path", [*NAMES, "ctrl\x01\x7f", "\u202e", "-dash", "a\rb"])
def test_git_takes_the_patch_when_the_path_is_odd(path):
    old, new = b"one\r\ntwo\n", b"one\r\n2\n"
    assert applied(unified(path, old, new, region(b"two", b"2", 5)), {path: old}) == {path: new}


@given(versions(), name)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example((b"a\nb\n", b"", (Region(0, 4, 0, 0, "exact"),)), "f")
@example((b"a\nb", b"a\nb\n", (Region(3, 3, 3, 4, "exact"),)), "f")
@example((b"a\nb\n", b"a\nb", (Region(3, 4, 3, 3, "exact"),)), "f")
@example((b"a\0b\nc", b"a\0B\nc", (Region(2, 3, 2, 3, "exact"),)), "f")
def test_git_takes_the_patch_when_the_bytes_are_any(version, path):
    old, new, regions = version
    assume(path not in {".", ".."})
    assume(old)  # an engine's edit never starts from an empty file
    assume(old != new)
    assert applied(unified(path, old, new, regions), {path: old}) == {path: new}


@given(st.lists(versions(), min_size=2, max_size=3))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_git_takes_the_patch_when_it_is_of_several_files(several):
    assume(all(old and old != new for old, new, _ in several))
    patch = "".join(unified(f"f {i}", *version) for i, version in enumerate(several))
    files = {f"f {i}": old for i, (old, _, _) in enumerate(several)}
    assert applied(patch, files) == {f"f {i}": new for i, (_, new, _) in enumerate(several)}
