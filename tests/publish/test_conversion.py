"""Where attributes come from, what is refused and what is only warned about; GIT.md section 5 case by case."""

import os

import pytest

from .applying import committed, gitedit, hook, picture, refused

LF = b"one\ntwo\nthree\n"
CRLF = LF.replace(b"\n", b"\r\n")
MIXED = b"one\r\ntwo\nthree\r\n"
EDIT = [{"oldText": "two", "newText": "2"}]
BATCH = {"path": "f", "edits": EDIT}
# Without its last word, this line ends with CR LF: no `\r\n` was written, and yet there is one.
RISKY = b"one\ntwo\rtail\nthree\n"
CUT = {"path": "f", "edits": [{"oldText": "tail", "newText": ""}]}


def stored(repo, path, content):
    """Commit a content as it is, and put the same bytes on the disk."""
    oid = repo.git("hash-object", "-w", "--no-filters", "--stdin", data=content).decode()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
    repo.git("commit", "-q", "-m", "stored")
    repo.write(path, content)


def blob(repo, revision):
    """Return a blob's bytes, all of them."""
    oid = repo.oid(revision)
    return repo.git("cat-file", "--batch", data=oid.encode()).partition(b"\n")[2]


@pytest.mark.parametrize("content", [LF, CRLF, MIXED, b"one\rtwo\r", b"two", b"one\ntwo\r\n\nx"])
def test_bytes_are_committed_as_they_are_when_nothing_converts(repo, content):
    stored(repo, "f", content)
    assert committed(repo, batch=BATCH)["warnings"] == []
    assert blob(repo, "HEAD:f") == repo.read("f") == content.replace(b"two", b"2")
    assert repo.git("status", "--porcelain") == b""


def test_file_may_become_empty_when_the_edit_removes_everything(repo):
    repo.commit({".gitattributes": b"* text eol=crlf\n"})
    stored(repo, "f", b"two\r\n")
    repo.git("add", "f")
    repo.git("commit", "-q", "-m", "normal")
    committed(repo, batch={"path": "f", "edits": [{"oldText": "two\n", "newText": ""}]})
    assert blob(repo, "HEAD:f") == repo.read("f") == b""
    assert repo.git("status", "--porcelain") == b""


def test_bytes_are_committed_as_they_are_when_a_text_file_holds_nul(repo):
    repo.commit({".gitattributes": b"* text\n"})
    stored(repo, "f", b"one\0\r\ntwo\n")
    assert len(committed(repo, batch=BATCH)["warnings"]) == 1
    assert blob(repo, "HEAD:f") == repo.read("f") == b"one\0\r\n2\n"


@pytest.mark.parametrize("beside", [b"", b"mine\n"], ids=["clean", "dirty"])
def test_edit_is_refused_when_the_next_add_would_collapse_a_keyword_that_it_wrote(repo, beside):
    repo.commit({".gitattributes": "f ident\n", "f": LF})
    repo.write("f", LF + beside)
    written = {"path": "f", "edits": [{"oldText": "two", "newText": "$Id: 2 $"}]}
    status, error = refused(repo, batch=written)
    assert (status, error["code"]) == (5, "line-endings")
    assert "(ident)" in error["message"]


def mixed(repo):
    repo.commit({".gitattributes": b"* text\n"})
    stored(repo, "f", MIXED)


def test_mixed_file_is_committed_with_a_warning_when_git_would_flatten_it(repo):
    mixed(repo)
    (warning,) = committed(repo, batch=BATCH)["warnings"]
    assert warning == "f: is stored in a form that git would not store (text); endings are kept"
    assert blob(repo, "HEAD:f") == MIXED.replace(b"two", b"2")


@pytest.mark.parametrize("how", ["flag", "config", "variable"])
def test_mixed_file_is_refused_when_endings_are_to_be_strict(repo, how):
    mixed(repo)
    if how == "config":
        repo.git("config", "gitedit.strictEol", "true")
    before = picture(repo)
    flags = ["--strict-eol"] if how == "flag" else []
    variables = {"GITEDIT_STRICT_EOL": "1"} if how == "variable" else {}
    status, error = refused(repo, *flags, batch=BATCH, **variables)
    assert (status, error["code"]) == (5, "line-endings")
    assert picture(repo) == before


def test_mixed_file_is_committed_when_the_flag_overrides_strict_settings(repo):
    mixed(repo)
    repo.git("config", "gitedit.strictEol", "true")
    committed(repo, "--no-strict-eol", batch=BATCH)


@pytest.mark.parametrize("beside", [b"", b"mine\n"], ids=["clean", "dirty"])
@pytest.mark.parametrize(
    ("attributes", "config", "named"),
    [("* text", {}, "text"), ("* text=auto", {}, "text=auto"), ("", {"core.autocrlf": "input"}, "core.autocrlf")],
)
def test_edit_is_refused_when_the_next_add_would_flatten_what_it_wrote(repo, attributes, config, named, beside):
    repo.commit({".gitattributes": attributes + "\n", "f": RISKY})
    for key, value in config.items():
        repo.git("config", key, value)
    repo.write("f", RISKY + beside)
    before = picture(repo)
    status, error = refused(repo, batch=CUT)
    assert (status, error["code"]) == (5, "line-endings"), error
    assert f"({named})" in error["message"]
    assert picture(repo) == before


def test_staging_is_refused_when_the_next_add_would_flatten_what_it_wrote(repo):
    repo.commit({".gitattributes": "* text\n", "f": RISKY})
    before = picture(repo)
    assert gitedit(repo, "--stage", batch=CUT).status == 5
    assert picture(repo) == before
    assert gitedit(repo, batch=CUT).status == 0


@pytest.mark.parametrize("beside", [b"", b"mine\r\n"], ids=["clean", "dirty"])
@pytest.mark.parametrize(
    ("attributes", "config"),
    [("* text eol=crlf", {}), ("* text=auto", {"core.autocrlf": "true"}), ("* text", {"core.eol": "crlf"})],
)
def test_commit_holds_lf_and_the_disk_crlf_when_git_converts_between_them(repo, attributes, config, beside):
    repo.commit({".gitattributes": attributes + "\n"})
    for key, value in config.items():
        repo.git("config", key, value)
    stored(repo, "f", LF)
    os.unlink(os.path.join(repo.path, "f"))
    repo.git("checkout", "--", "f")
    assert repo.read("f") == CRLF
    repo.write("f", CRLF + beside)
    batch = {"path": "f", "edits": [{"oldText": "two\n", "newText": "two\nand\n"}]}
    assert committed(repo, batch=batch)["warnings"] == []
    assert blob(repo, "HEAD:f") == LF.replace(b"two\n", b"two\nand\n")
    assert repo.read("f") == CRLF.replace(b"two\r\n", b"two\r\nand\r\n") + beside
    assert repo.git("status", "--porcelain") == (b" M f" if beside else b"")


@pytest.mark.parametrize(("safecrlf", "code"), [("true", "line-endings"), ("warn", None), ("false", None)])
def test_safecrlf_decides_when_a_conversion_could_not_be_undone(repo, safecrlf, code):
    repo.commit({".gitattributes": "* text eol=crlf\n", "f": LF})
    repo.git("config", "core.safecrlf", safecrlf)
    # LF on disk: `git add` warns "LF will be replaced by CRLF", or refuses.
    before = picture(repo)
    if code is None:
        committed(repo, batch=BATCH)
        return
    status, error = refused(repo, batch=BATCH)
    assert (status, error["code"]) == (5, code)
    assert "core.safecrlf" in error["message"]
    assert picture(repo) == before


def test_keyword_stays_collapsed_in_the_commit_when_it_is_expanded_on_disk(repo):
    repo.commit({".gitattributes": "f ident\n"})
    stored(repo, "f", b"# $Id$\n" + LF)
    os.unlink(os.path.join(repo.path, "f"))
    repo.git("checkout", "--", "f")
    expanded = repo.read("f")
    assert b"$Id: " in expanded
    committed(repo, batch=BATCH)
    assert blob(repo, "HEAD:f") == b"# $Id$\n" + LF.replace(b"two", b"2")
    assert repo.read("f") == expanded.replace(b"two", b"2")
    assert repo.git("status", "--porcelain") == b""


@pytest.mark.parametrize(
    "where",
    ["info", "file", "relative", "home", "nested", "index", "macro", "variable"],
)
def test_attributes_count_wherever_git_reads_them(repo, where):
    """Each way makes `d/f` a text file, so an edit that makes a CR LF must be refused."""
    line = "[attr]mine text\n*f mine\n" if where == "macro" else "*f text\n"
    repo.commit({"d/f": RISKY})
    variables = {}
    if where == "info":
        repo.write(".git/info/attributes", line)
    elif where in {"file", "relative", "home", "variable"}:
        name = {"file": repo.path + ".attributes", "home": "~/attributes"}.get(where, "conf/attributes")
        repo.write(os.path.expanduser(name).replace(os.path.expanduser("~"), repo.env["HOME"]), line)
        if where == "variable":
            settings = {"COUNT": "1", "KEY_0": "core.attributesFile", "VALUE_0": name}
            variables = {f"GIT_CONFIG_{key}": value for key, value in settings.items()}
        else:
            repo.git("config", "core.attributesFile", name)
    else:
        path = "d/.gitattributes" if where == "nested" else ".gitattributes"
        repo.commit({path: line})
        if where == "index":
            os.unlink(os.path.join(repo.path, path))
    batch = {**CUT, "path": "d/f"}
    assert refused(repo, batch=batch, **variables)[1]["code"] == "line-endings"
    assert committed(repo, batch={**BATCH, "path": "d/f"}, **variables)["warnings"] == []


def test_nearest_attributes_win_when_they_are_nested(repo):
    repo.commit({".gitattributes": "* text\n", "d/.gitattributes": "f -text\n", "d/f": RISKY})
    committed(repo, batch={**CUT, "path": "d/f"})
    assert blob(repo, "HEAD:d/f") == RISKY.replace(b"tail", b"")


@pytest.mark.parametrize(("line", "code"), [("* -text", None), ("* text", "line-endings"), ("* filter=x", "filtered")])
def test_edited_attributes_count_when_the_batch_edits_them_too(repo, line, code):
    repo.commit({".gitattributes": "* eol=lf -old\n", "f": RISKY})
    edited = {"path": ".gitattributes", "edits": [{"oldText": "* eol=lf -old", "newText": line}]}
    batch = {"files": [CUT, edited]}
    if code is not None:
        assert refused(repo, batch=batch)[1]["code"] == code
        return
    committed(repo, batch=batch)
    assert repo.git("status", "--porcelain") == b""


@pytest.mark.parametrize("attribute", ["filter=x", "working-tree-encoding=UTF-16", "working-tree-encoding"])
@pytest.mark.parametrize("driver", [False, True])
def test_commit_is_refused_when_the_content_passes_a_filter(repo, attribute, driver):
    repo.commit({"f": LF})
    repo.write(".git/info/attributes", f"f {attribute}\n")
    if driver:
        repo.git("config", "filter.x.clean", "sed s/two/TWO/")
    before = picture(repo)
    assert refused(repo, batch=BATCH)[1]["code"] == "filtered"
    assert picture(repo) == before
    assert gitedit(repo, batch=BATCH).status == 0


@pytest.mark.parametrize(
    "attribute", ["working-tree-encoding=UTF-8", "working-tree-encoding=utf8", "-filter", "!filter"]
)
def test_commit_is_made_when_the_filter_is_none(repo, attribute):
    repo.commit({"f": LF})
    repo.write(".git/info/attributes", f"f {attribute}\n")
    committed(repo, batch=BATCH)
    assert repo.git("status", "--porcelain") == b""


def test_renormalized_index_is_left_so_when_the_user_has_staged_it(repo):
    mixed(repo)
    repo.git("add", "--renormalize", "f")
    assert blob(repo, ":f") == LF
    committed(repo, batch=BATCH)
    assert blob(repo, "HEAD:f") == MIXED.replace(b"two", b"2")
    assert blob(repo, ":f") == LF.replace(b"two", b"2")
    assert repo.read("f") == MIXED.replace(b"two", b"2")


def test_nothing_is_left_behind_when_git_had_to_be_asked(repo):
    repo.commit({".gitattributes": "* text eol=crlf\n", "f": LF})
    hook(repo, "post-index-change", 'echo "$GIT_INDEX_FILE" >>../ran')
    repo.write("f", CRLF)
    committed(repo, batch=BATCH)
    assert os.listdir(os.path.join(repo.path, ".git/gitedit/run")) == []
    assert repo.read("../ran").splitlines() == [os.fsencode(repo.path) + b"/.git/index"]
    assert repo.git("fsck", "--strict", "--no-dangling") == b""
