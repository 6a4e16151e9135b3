"""Line endings against git itself: settings, kinds of file and edits, each judged by what real `git add` would do."""

import itertools
import os

import pytest

import gitedit
from gitedit.git.objects import object_id

SETTINGS = [
    ("", {}),
    ("", {"core.autocrlf": "true"}),
    ("", {"core.autocrlf": "input"}),
    ("", {"core.autocrlf": "true", "core.safecrlf": "true"}),
    ("", {"core.autocrlf": "input", "core.safecrlf": "true"}),
    ("* text", {}),
    ("* text", {"core.eol": "crlf"}),
    ("* text", {"core.safecrlf": "true"}),
    ("* text eol=crlf", {}),
    ("* text eol=crlf", {"core.safecrlf": "true"}),
    ("* text eol=lf", {}),
    ("* eol=crlf", {"core.safecrlf": "warn"}),
    ("* text=auto", {}),
    ("* text=auto eol=crlf", {"core.safecrlf": "true"}),
    ("* text=auto", {"core.autocrlf": "true", "core.safecrlf": "warn"}),
    ("* -text", {"core.autocrlf": "true", "core.safecrlf": "true"}),
    ("* crlf", {}),
    ("* -crlf", {"core.autocrlf": "true"}),
    ("* ident", {}),
    ("* text eol=crlf ident", {"core.autocrlf": "input"}),
]
KINDS = {
    "lf": b"one\ntwo\nthree\n",
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "mixed": b"one\r\ntwo\nthree\r\nfour\n",
    "lone": b"one\rtwo\nthree\r\r\nfour\r",
    "unterminated": b"one\ntwo\nthree",
    "id": b"$Id$\none\ntwo\n# $Id: old $\n",
    "id_crlf": b"$Id$\r\none\r\ntwo\r\n",
    "flat": b"two",
    "risky": b"one\n\rtwo\nthree\n",
}
EDITS = {
    "word": [{"oldText": "two", "newText": "2"}],
    "lines": [{"oldText": "two", "newText": "two\nand\nmore"}],
    "crlf_lines": [{"oldText": "two", "newText": "two\r\nmore"}],
    "id": [{"oldText": "two", "newText": "two $Id: x $"}],
    "cut": [{"oldText": "two", "newText": ""}],
}


@pytest.fixture
def here(repo, monkeypatch):
    """The repository, with its hermetic environment as this process's own."""
    for name in list(os.environ):
        if name.startswith("GIT"):
            monkeypatch.delenv(name)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    return repo


def store_as_it_is(repo, files):
    """Commit contents through no filter, and check them out through all of them."""
    for path, content in files.items():
        oid = repo.git("hash-object", "-w", "--no-filters", "--stdin", data=content).decode()
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
    repo.git("commit", "-q", "-m", "stored")
    for path in files:
        if os.path.exists(os.path.join(repo.path, path)):
            os.unlink(os.path.join(repo.path, path))
        repo.git("checkout", "-q", "--", path)


def stored_by_add(repo, path, content, *options):
    """Return the blob id that `git add` of this content would store now, None where it refuses; change nothing."""
    before, row = repo.read(path), repo.git("ls-files", "--stage", path).split()
    repo.write(path, content)
    refused = repo.git(*options, "add", path, check=False)
    oid = repo.git("ls-files", "--stage", path).split()[1].decode()
    repo.git("update-index", "--cacheinfo", f"100644,{row[1].decode()},{path}")
    repo.write(path, before)
    return None if refused else oid


def expected(repo, path, head, disk, edits):
    """Return what section 5 says: `fine`, `dirty` (fine beside other changes), `warned` or `refused`."""
    new, edited = (gitedit.apply_edits(source, edits).content for source in (head, disk))
    before, after = stored_by_add(repo, path, disk), stored_by_add(repo, path, edited)
    if after == object_id("blob", new, "sha1"):
        return "fine"
    if None in {before, after} or before == object_id("blob", head, "sha1"):
        return "refused"
    if disk == head:
        return "warned"
    lenient = ("-c", "core.safecrlf=false")
    if stored_by_add(repo, path, new, *lenient) == object_id("blob", new, "sha1"):
        return "dirty"
    return "refused" if stored_by_add(repo, path, head, *lenient) == object_id("blob", head, "sha1") else "warned"


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_git_agrees_with_what_is_committed_when_a_clean_file_is_edited(here, number):
    attributes, settings = SETTINGS[number]
    here.commit({".gitattributes": attributes + "\n"})
    for key, value in settings.items():
        here.git("config", key, value)
    store_as_it_is(here, KINDS)
    edits = itertools.islice(itertools.cycle(EDITS.values()), number, None)
    for path, head in list(KINDS.items())[number % 2 :: 2]:
        chosen = next(edits)
        disk, parent = here.read(path), here.oid()
        verdict = expected(here, path, head, disk, chosen)
        here.git("update-index", "-q", "--refresh", check=False)
        case = (attributes, settings, path, chosen)
        result = applied(here, path, chosen)
        if verdict == "refused":
            assert result == "line-endings", case
            assert (here.read(path), here.oid()) == (disk, parent), case
        else:
            assert (result != []) == (verdict == "warned"), (*case, result)
            check_committed(here, path, (head, disk, chosen), fine=verdict == "fine")


def applied(repo, path, edits):
    """Commit the edits; return the warnings, or the code of the refusal."""
    try:
        return list(gitedit.apply({"path": path, "edits": edits}, repo=repo.path, commit=True).warnings)
    except gitedit.EditError as error:
        return error.code


def check_committed(repo, path, before, *, fine):
    """Check blob and file byte for byte, and that `git add` has nothing to add to them."""
    head, disk, edits = before
    assert repo.oid(f"HEAD:{path}") == object_id("blob", gitedit.apply_edits(head, edits).content, "sha1")
    assert repo.read(path) == gitedit.apply_edits(disk, edits).content
    if fine:
        assert repo.git("diff-files", "--quiet", "--", path, check=False) == 0
        repo.git("add", "--", path)
        assert repo.git("diff", "--cached", "--name-only") == b""
