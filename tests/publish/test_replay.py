"""Generated repositories and batches: the lines of the batch move into all three places, and nothing else moves."""

import contextlib
import os
import tempfile
from typing import NamedTuple
from unittest import mock

from conftest import Repo, hermetic
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from witness import see

import gitedit
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit
from gitedit.errors import EditError

ENDINGS = ["\n", "\r\n", "\r", ""]
LINE = st.tuples(st.sampled_from(["a", "b", "}", "", "é x", "$Id$", "key = 1", "  key = 2"]), st.sampled_from(ENDINGS))
CONFIG = [
    {},
    {"core.autocrlf": "true"},
    {"core.autocrlf": "input"},
    {"core.safecrlf": "true", "core.autocrlf": "input"},
]
ATTRIBUTES = ["", "* text=auto\n", "* -text\n", "* text\n", "* text=auto eol=crlf\n", "* ident\n", "* -diff -merge\n"]


class World(NamedTuple):
    """One generated repository and its batch."""

    config: dict
    attributes: str
    head: str
    staged: str
    disk: str
    executable: bool
    edits: list
    flags: dict


@st.composite
def worlds(draw):
    # Numbered lines among equal ones: most needles are in one place, some are not.
    lines = draw(st.lists(LINE, min_size=1, max_size=14))
    uniform = draw(st.sampled_from([None, "\n", "\r\n"]))
    lines = [
        (f"{n} {text}" if draw(st.booleans()) else text) + (ending if uniform is None else uniform)
        for n, (text, ending) in enumerate(lines)
    ]

    def changed(content):
        content = list(content)
        for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
            at = draw(st.integers(0, len(content)))
            content[at : at + draw(st.integers(0, 1))] = draw(st.sampled_from([[], ["mine\n"], ["mine\r\n", "x\n"]]))
        return content

    staged = changed(lines)
    disk = changed(staged)
    edits = []
    whole = "".join(lines)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, max(0, len(whole) - 1)))
        old = whole[start : start + draw(st.integers(1, 12))] or "x"
        new = draw(st.sampled_from(["", "new", "new\n", "new\r\nnew\r\n", "}\n}\n", old + "!"]))
        edits.append({"oldText": old, "newText": new})
    flags = draw(
        st.sampled_from([{"commit": True}, {"commit": True}, {"commit": True, "exact": True}, {"stage": True}, {}])
    )
    config, attributes = draw(st.sampled_from(CONFIG)), draw(st.sampled_from(ATTRIBUTES))
    executable = draw(st.booleans())
    return World(config, attributes, whole, "".join(staged), "".join(disk), executable, edits, flags)


def build(world, folder):
    """Make the repository, with a person's other work beside `f`."""
    home = os.path.join(folder, "home")
    os.mkdir(home)
    repo = Repo(os.path.join(folder, "work"), hermetic(home), "--template=")
    files = {".gitattributes": world.attributes, "d/other": "1\r\n2\n", "staged": "1\n", "hidden": "1\n"}
    for path, content in {"f": world.head, **files}.items():
        repo.write(path, content)
    os.chmod(os.path.join(repo.path, "f"), 0o700 if world.executable else 0o600)
    repo.git("add", "-A")
    repo.commit()
    repo.write("staged", "2\n")
    repo.git("-c", "core.safecrlf=false", "add", "staged")
    repo.git("update-index", "--assume-unchanged", "hidden")
    if world.staged != world.head:
        # As it is: what the person staged went through no conversion.
        oid = repo.git("hash-object", "-w", "--no-filters", "--stdin", data=world.staged.encode()).decode()
        repo.git("update-index", "--cacheinfo", f"{repo.git('ls-files', '-s', 'f').decode()[:6]},{oid},f")
    repo.write("f", world.disk)
    repo.write("d/other", "1\r\n3\n")
    repo.write("untracked", "u\n")
    # Last: core.safecrlf would have `git add` refuse some of the above.
    for key, value in world.config.items():
        repo.git("config", key, value)
    return repo


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(worlds())
def test_nothing_else_moves_when_a_batch_is_applied_anywhere(world):
    with tempfile.TemporaryDirectory() as folder:
        repo = build(world, folder)
        before = see(repo)
        old = _blobs(repo, before)
        result = None
        with mock.patch.dict(os.environ, repo.env, clear=True), contextlib.suppress(EditError):
            result = gitedit.apply({"path": "f", "edits": world.edits}, repo=repo.path, **world.flags)
        after = see(repo)
        assert after.own == []
        if result is None:
            event("refused")
            kept = {path: body for path, body in after.git_dirs.items() if b"/objects/" not in path}
            assert kept == {path: body for path, body in before.git_dirs.items() if b"/objects/" not in path}
            assert after._replace(git_dirs={}) == before._replace(git_dirs={})
            return
        event("applied " + " ".join(world.flags))
        _check_contents(world, old, _blobs(repo, after), result.files[0])
        _check_rest(before, after)
        if old[0] == old[1] == old[2] and not world.config and world.attributes in {"", "* -text\n"}:
            assert b"f" not in after.unclean
        if world.flags.get("commit"):
            _check_numstat(repo, result.files[0])


def _blobs(repo, seen):
    """Return the contents of `f` in HEAD, in the index and on disk."""
    oids = (seen.tree[b"f"].split()[2], seen.entries[b"f"][0].split()[2])
    out, bodies = repo.git("cat-file", "--batch", data=b"\n".join(oids) + b"\n") + b"\n", []
    for _ in oids:
        header, _, out = out.partition(b"\n")
        size = int(header.split()[2])
        bodies.append(out[:size])
        out = out[size + 1 :]
    return [*bodies, seen.files[b"f"][1]]


def _check_contents(world, old, new, file):
    """Check that each place holds its own version with the batch applied, or was left alone."""
    commit, stage = world.flags.get("commit"), world.flags.get("stage")
    edits = tuple(Edit(edit["oldText"], edit["newText"]) for edit in world.edits)
    for source, target, moves in zip(old, new, (commit, commit or stage, True), strict=True):
        revision = apply_edits(source, edits, exact=world.flags.get("exact", False)) if moves else None
        assert target == (revision.content if revision else source)
    reported = 0 if commit else 2
    assert (file.old, file.new) == (old[reported], new[reported])
    old_at = new_at = 0
    for region in file.regions:
        assert file.old[old_at : region.old_start] == file.new[new_at : region.new_start]
        old_at, new_at = region.old_end, region.new_end
    assert file.old[old_at:] == file.new[new_at:]


def _check_rest(before, after):
    """Check that of `f` the modes and flags are as they were, and of everything else all is."""
    assert after.files.pop(b"f")[0] == before.files.pop(b"f")[0]
    (old_row, *old_flags), (new_row, *new_flags) = before.entries.pop(b"f"), after.entries.pop(b"f")
    assert (old_row[:8], old_flags) == (new_row[:8], new_flags)
    assert before.tree.pop(b"f")[:7] == after.tree.pop(b"f")[:7]
    for kind in ("files", "entries", "tree", "head"):
        assert getattr(after, kind) == getattr(before, kind), kind
    assert after.unclean - {b"f"} == before.unclean - {b"f"}


def _check_numstat(repo, file):
    """Check that git's own count is the one reported, and fits between the first changed line and the last."""
    # In front of every other attribute: `-diff` hides the counts even from --text.
    repo.write(".git/info/attributes", "* diff\n")
    (row,) = repo.git("diff", "--numstat", "--no-ext-diff", "--text", "HEAD^", "HEAD").split(b"\n")
    assert row == b"%d\t%d\tf" % (file.added, file.removed)
    first, last = file.regions[0], file.regions[-1]
    assert file.removed <= _hull(file.old, first.old_start, last.old_end)
    assert file.added <= _hull(file.new, first.new_start, last.new_end)


def _hull(content, start, end):
    """Return how many lines the bytes from `start` to `end` touch, the one that they end in included."""
    return content[start:end].count(b"\n") + 1
