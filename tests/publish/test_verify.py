"""The five points of verification, against real trees in a real clean room."""

import random

import pytest

from gitedit.edits.model import Region
from gitedit.errors import VerificationError
from gitedit.git import cleanroom, objects
from gitedit.git.objects import GitObject, object_id
from gitedit.git.process import Git
from gitedit.git.treediff import TreeDiffer
from gitedit.publish import verify
from gitedit.publish.verify import Numstat
from gitedit.record.model import ChangedFile

LINES = [
    b"a\n",
    b"a\n",
    b"b\r\n",
    b"}\n",
    b"\n",
    b"\r\n",
    b"c\rd\n",
    b"long line with words\n",
    b"\xe9\xff\n",
    b"-- x\n",
]


class Bench:
    """A repository to store trees in, and the differ of its clean room."""

    def __init__(self, repo, folder):
        self.git = Git(repo.path, repo.env)
        cleanroom.make(str(folder / "room"), "sha1")
        self.differ = TreeDiffer(cleanroom.enter(str(folder / "room"), [f"{repo.path}/.git/objects"]))
        self.pending = []

    def tree(self, files):
        """Plan a flat tree (name -> content or (mode, content)); return its id."""
        body = b""
        for name, content in sorted(files.items()):
            mode, data = content if isinstance(content, tuple) else ("100644", content)
            self.pending.append(GitObject("blob", data))
            body += f"{mode} {name}".encode() + b"\0" + bytes.fromhex(object_id("blob", data, "sha1"))
        self.pending.append(GitObject("tree", body))
        return object_id("tree", body, "sha1")

    def verify(self, old, new, files):
        objects.store(self.git, self.pending, "sha1")
        self.pending = []
        return verify.verify(self.differ, old, new, files)


@pytest.fixture
def bench(repo, tmp_path):
    made = Bench(repo, tmp_path)
    yield made
    made.differ.close()


def changed(name, old, new, regions, mode="100644"):
    ids = [object_id("blob", content, "sha1") for content in (old, new)]
    return ChangedFile(name, mode, mode, *ids, old, new, tuple(Region(*region, "exact") for region in regions))


def random_case(rng):
    """Return (old, new, regions) with one to four replaced runs, as the engine would report them."""
    old = b"".join(rng.choices(LINES, k=rng.randint(1, 40)))[: -1 if rng.random() < 0.3 else None]
    cuts = sorted(rng.sample(range(len(old) + 1), min(len(old) + 1, 2 * rng.randint(1, 4))))
    new, regions, at = b"", [], 0
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        if regions and start == regions[-1][1]:
            continue
        replacement = b"".join(rng.choices([*LINES, b"x", b""], k=rng.randint(0, 3)))
        if replacement == old[start:end]:
            continue
        new += old[at:start]
        regions.append((start, end, len(new), len(new) + len(replacement)))
        new += replacement
        at = end
    return old, new + old[at:], regions


def test_random_edits_pass_when_they_are_as_planned(bench):
    rng = random.Random(20)  # noqa: S311
    cases = [case for case in (random_case(rng) for _ in range(600)) if case[2] and case[0] != case[1]]
    planned = [(bench.tree({"f": old}), bench.tree({"f": new}), changed("f", old, new, rs)) for old, new, rs in cases]
    for old, new, file in planned:
        figures = bench.verify(old, new, [file])
        assert figures["f"].added - figures["f"].removed == verify.Lines(file.new).count - verify.Lines(file.old).count
    assert len(planned) > 500


def test_random_edits_fail_when_a_byte_outside_the_regions_changed(bench):
    rng = random.Random(21)  # noqa: S311
    tried = 0
    for old, new, regions in (random_case(rng) for _ in range(150)):
        outside = sorted(set(range(len(new))) - {at for r in regions for at in range(r[2], r[3])})
        if not regions or not outside:
            continue
        at = rng.choice(outside)
        wrong = new[:at] + bytes([new[at] ^ 1]) + new[at + 1 :]
        with pytest.raises(VerificationError):
            bench.verify(bench.tree({"f": old}), bench.tree({"f": wrong}), [changed("f", old, wrong, regions)])
        tried += 1
    assert tried > 80


OLD = b"one\r\ntwo\nthree\nfour"
NEW = b"one\r\n2\nthree\nfour"
FILE = changed("f", OLD, NEW, [(5, 8, 5, 6)])


def test_numstat_is_returned_when_all_holds(bench):
    assert bench.verify(bench.tree({"f": OLD}), bench.tree({"f": NEW}), [FILE]) == {"f": Numstat(1, 1)}


def test_two_files_are_told_apart_when_both_change(bench):
    other = changed("g h", b"x\n" * 3, b"x\n" * 2 + b"y\n", [(4, 5, 4, 5)])
    old, new = bench.tree({"f": OLD, "g h": other.old}), bench.tree({"f": NEW, "g h": other.new})
    assert bench.verify(old, new, [other, FILE]) == {"f": Numstat(1, 1), "g h": Numstat(1, 1)}


def test_patches_are_told_apart_wherever_git_pauses(bench):
    other = changed("g h", b"x\n" * 3, b"x\n" * 2 + b"y", [(4, 6, 4, 5)])
    old, new = bench.tree({"f": OLD, "g h": other.old}), bench.tree({"f": NEW, "g h": other.new})
    expected = bench.verify(old, new, [FILE, other])
    whole = b"".join(bench.differ.stream(old, new))

    class Slow:
        def __init__(self, size):
            self.size = size

        def stream(self, *_):
            yield from (whole[at : at + self.size] for at in range(0, len(whole), self.size))

    for size in range(1, 40):
        assert verify.verify(Slow(size), old, new, [FILE, other]) == expected


def test_the_next_answer_is_whole_when_one_was_not_read_to_its_end(bench):
    large = [b"".join(b"%d %d\n" % (n, number) for number in range(20000)) for n in range(2)]
    old, new = bench.tree({"f": OLD}), bench.tree({"f": NEW})
    before, after = bench.tree({"f": large[0]}), bench.tree({"f": large[1]})
    assert bench.verify(old, new, [FILE]) == {"f": Numstat(1, 1)}
    assert next(bench.differ.stream(before, after)).startswith(b":100644")
    assert bench.verify(old, new, [FILE]) == {"f": Numstat(1, 1)}


def test_a_path_passes_when_it_looks_like_two_in_the_patch_header(bench):
    def inside(folder, content):
        body = f"40000 {folder}".encode() + b"\0" + bytes.fromhex(bench.tree({"y": content}))
        bench.pending.append(GitObject("tree", body))
        return object_id("tree", body, "sha1")

    file = FILE._replace(path="x b/y")
    assert bench.verify(inside("x b", OLD), inside("x b", NEW), [file]) == {"x b/y": Numstat(1, 1)}


REFUSED = {
    "an extra path": ({"f": OLD}, {"f": NEW, "g": b"x"}, FILE),
    "another blob": ({"f": OLD}, {"f": NEW + b"!"}, FILE),
    "another mode": ({"f": OLD}, {"f": ("100755", NEW)}, FILE),
    "a path that is gone": ({"f": OLD, "g": b"x"}, {"f": NEW}, FILE),
    "nothing": ({"f": OLD}, {"f": OLD}, FILE),
    "a region too small": ({"f": OLD}, {"f": NEW}, changed("f", OLD, NEW, [(6, 8, 6, 6)])),
    "a region elsewhere": ({"f": OLD}, {"f": NEW}, changed("f", OLD, NEW, [(10, 13, 8, 11)])),
    "regions out of order": ({"f": OLD}, {"f": NEW}, changed("f", OLD, NEW, [(9, 9, 7, 7), (5, 8, 5, 6)])),
    "no region": ({"f": OLD}, {"f": NEW}, changed("f", OLD, NEW, [])),
}


@pytest.mark.parametrize("what", REFUSED)
def test_verification_fails_when_the_tree_holds(bench, what):
    old, new, file = REFUSED[what]
    with pytest.raises(VerificationError) as caught:
        bench.verify(bench.tree(old), bench.tree(new), [file])
    assert caught.value.code == "verification-failed"


PATCH = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
LIES = {
    "lines elsewhere": (("1", "1"), PATCH + "@@ -3 +3 @@\n-three\n+2\n"),
    "another text": (("1", "1"), PATCH + "@@ -2 +2 @@\n-two\n+3\n"),
    "too many lines": (("3", "3"), PATCH + "@@ -2 +2 @@\n-two\n+2\n"),
    "no counts": (("-", "-"), PATCH + "@@ -2 +2 @@\n-two\n+2\n"),
    "no patch": (("1", "1"), "Binary files a/f and b/f differ\n"),
    "no hunk": (("1", "1"), PATCH),
}


@pytest.mark.parametrize("what", LIES)
def test_verification_fails_when_git_shows(what):
    (added, removed), patch = LIES[what]

    class Liar:
        """What git would have to print for verification to stop trusting the plan."""

        def stream(self, *_):
            raw = f":100644 100644 {FILE.old_oid} {FILE.new_oid} M\0f\0{added}\t{removed}\tf\0"
            yield (raw + "\0" + patch).encode()

    with pytest.raises(VerificationError):
        verify.verify(Liar(), "old", "new", [FILE])


def test_commit_is_refused_when_it_holds_another_tree_parent_message_or_encoding():
    body = b"tree aa\nparent bb\nauthor T <t@example.invalid> 1 +0000\n\nmessage\n"
    verify.read_back(body, "aa", "bb", "message\n")
    for wrong in (("ab", "bb", "message\n"), ("aa", "bc", "message\n"), ("aa", "bb", "message")):
        with pytest.raises(VerificationError):
            verify.read_back(body, *wrong)
    with pytest.raises(VerificationError):
        verify.read_back(body.replace(b"\n\n", b"\nencoding latin-1\n\n"), "aa", "bb", "message\n")
