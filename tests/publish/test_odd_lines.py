"""Contents that fool readers of diffs: each is edited and committed, and git's patch of it is read right."""

import pytest
from witness import gitedit

CONTENTS = {
    "headers": b"--- a/f\n+++ b/f\n@@ -1 +1 @@\nEDIT\n-- \n++ x\n@@ -1,9 +1,9 @@ x\n",
    "whole patch": b"diff --git a/f b/f\nindex 0000000..1111111 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-EDIT\n+x\n",
    "edited header": b"x\n--- EDIT\n+++ edit\n",
    "no newline marker": b"EDIT\n\\ No newline at end of file\n\\ No newline at end of file",
    "binary words": b"Binary files a/f and b/f differ\nGIT binary patch\nEDIT\nliteral 0\n",
    "rename words": b"rename from a\nrename to b\nsimilarity index 100%\nEDIT\n",
    "separators": "a\u2028EDIT\u2029b\u0085c\n\x0b\x0cx\x1c\x1d\x1e\n".encode(),
    "carriage returns": b"EDIT\r\r\n\r\n\rx\r\n",
    "lone returns": b"a\rEDIT\rb\rc\r",
    "no final newline": b"x\nEDIT",
    "one line": b"EDIT",
    "one line with newline": b"EDIT\n",
    "blank lines": b"\n\n\nEDIT\n\n\n\n",
    "trailing blanks": b"EDIT  \t\n \n\t\n",
    "a mark": b"\xef\xbb\xbfEDIT\nx\n",
    "not UTF-8": b"\xff\xfe\xe9\nEDIT\n\xc3\x28\xa0\n",
    "latin 1": "caf\u00e9\nEDIT\nna\u00efve\n".encode("latin-1"),
    "one long line": b"x" * 300_000 + b"EDIT" + b"y" * 300_000 + b"\n",
    "equal lines": b"}\n" * 50 + b"EDIT\n" + b"}\n" * 50,
    "conflict markers": b"<<<<<<< ours\nEDIT\n||||||| base\n=======\n>>>>>>> theirs\n",
    "commented": b"# EDIT\n# ------------------------ >8 ------------------------\n",
    "escapes": b"\x1b[31mEDIT\x1b[0m\x07\x08\n",
    "identifier": b"$Id: x $\nEDIT\n",
}
NEW = {
    "nothing": "",
    "a line": "one\n",
    "lines": "one\ntwo\r\nthree\n",
    "a header": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n",
    "a marker": "\n\\ No newline at end of file\n",
    "a brace": "}\n}\n}",
    "returns": "\r\r\n\r",
    "separators": "\u2028\u0085\x0c\x1c",
    "a byte order mark": "\ufeff",
}


TEXT = [path for path in CONTENTS if path not in {"not UTF-8", "latin 1"}]


@pytest.mark.parametrize("name", NEW)
def test_patch_is_read_right_when_lines_look_like_a_patch(repo, name):
    repo.write(".gitattributes", "* -text\n")
    for path, content in CONTENTS.items():
        repo.write(path, content)
    repo.git("add", "-A")
    parent = repo.commit()
    # Where a file is not UTF-8, nobody knows which bytes other characters would be.
    files = {path: CONTENTS[path] for path in (CONTENTS if NEW[name].isascii() else TEXT)}
    batch = [{"path": path, "edits": [{"oldText": "EDIT", "newText": NEW[name]}]} for path in files]
    said = gitedit(repo, batch, "--commit")
    assert said.status == 0, said.facts["error"]
    told = {file["path"]: (file["added"], file["removed"]) for file in said.facts["files"]}
    for row in repo.git("diff", "--numstat", "-z", "--text", parent, "HEAD").split(b"\0")[:-1]:
        added, removed, path = row.decode().split("\t")
        assert told.pop(path) == (int(added), int(removed))
    assert told == {}
    assert repo.git("status", "--porcelain") == b""
    for path, content in files.items():
        before, after = content.split(b"EDIT")
        found = repo.read(path)
        assert found.startswith(before)
        assert found.endswith(after)
    patches = "".join(file["patch"] for file in said.facts["files"] if file["path"] in TEXT)
    repo.git("checkout", "-q", "--detach", parent)
    repo.git("apply", "--whitespace=nowarn", data=patches.encode())
    assert repo.git("diff", "--stat", "main", "--", *TEXT) == b""
