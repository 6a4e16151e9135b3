"""The table of docs/provenance.md, measured row by row: an audit after what people do to a recorded commit."""

import json
import os
import re
import shlex

import pytest

from tests.audit.recorded import audited, edit, line, message, text
from tests.cli.command import run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
MIXED = b"one\r\ntwo\nthree\r\nfour\n"
OPERATIONS = {}


def operation(words):
    """Register what leads to the row that begins with these words; it returns the range to audit, None for HEAD."""
    return lambda function: OPERATIONS.setdefault(words, function)


@pytest.fixture
def work(repo):
    """Return a repository whose branch `topic` has two recorded commits; `main` is where it began."""
    repo.commit({"a": text(), "b": text(word="row"), "mixed": MIXED})
    repo.git("checkout", "-q", "-b", "topic")
    edit(repo, "a", (line(10), "ten\n"))
    edit(repo, "a", (line(30), "thirty\n"), message="Second")
    return repo


def shifted(repo):
    """Let upstream change lines above."""
    repo.git("checkout", "-q", "main")
    return repo.commit({"a": "upstream\n" + text()}, "upstream")


def todo(repo, script, *options):
    """Rebase interactively: `script` edits the list, for sed."""
    repo.git("rebase", "-q", "-i", *options, "main", GIT_SEQUENCE_EDITOR=f"sed -i {shlex.quote(script)}")


@operation("nothing; push, fetch, clone, `gc`, bundle")
def cloned(repo):
    repo.git("gc", "-q")
    repo.git("bundle", "create", "-q", "all.bundle", "topic")
    repo.git("update-ref", "-d", "refs/heads/topic")
    repo.git("fetch", "-q", "all.bundle", "topic:again")
    repo.git("checkout", "-q", "--detach", "again")


@operation("`commit --amend --no-edit`, `--reset-author`")
def amended(repo):
    repo.git("commit", "-q", "--amend", "--no-edit", "--reset-author")


@operation("other words before the record's lines; lines re-wrapped, sorted or doubled by an editor")
def reworded(repo):
    lines = re.sub(rb"\n ", b" ", message(repo)).partition(b"\n\n")[2].splitlines()
    repo.commit(None, b"Other words\n\nA body.\n\n" + b"\n".join(sorted(2 * lines)) + b"\n", "--amend")


@operation("`commit --amend -m`: the message replaced")
def replaced(repo):
    repo.git("commit", "-q", "--amend", "-m", "Other")


@operation("`cherry-pick`, the file as it was")
def picked(repo):
    repo.git("checkout", "-q", "--detach", "topic~1")
    repo.commit({"b": "other\n"})
    repo.git("cherry-pick", "topic")


@operation("`cherry-pick`, `cherry-pick -x`, lines above changed")
def picked_elsewhere(repo):
    shifted(repo)
    repo.git("cherry-pick", "-x", "topic")


@operation("`cherry-pick` over an upstream rename of the file")
def picked_over_a_rename(repo):
    repo.git("checkout", "-q", "main")
    repo.git("mv", "a", "c")
    repo.commit()
    repo.git("cherry-pick", "topic")


@operation("`cherry-pick` over an upstream `chmod`")
def picked_over_a_mode(repo):
    repo.git("checkout", "-q", "main")
    repo.git("update-index", "--chmod=+x", "a")
    repo.commit()
    repo.git("checkout", "-q", "--", ".")
    repo.git("cherry-pick", "topic")


@operation("`rebase` onto a base where lines above changed")
def rebased(repo):
    shifted(repo)
    repo.git("rebase", "-q", "main", "topic")
    return "main..topic"


@operation("`rebase -i`: commits in another order")
def reordered(repo):
    todo(repo, "1{h;d};2{G}")
    return "main..topic"


@operation("`rebase -i`: `squash`")
def squashed_in_a_rebase(repo):
    todo(repo, "2s/^pick/squash/")


@operation("`rebase -i`: `fixup`")
def fixed_up(repo):
    todo(repo, "2s/^pick/fixup/")


@operation("`merge --squash`, its message kept")
def squash_merged(repo):
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.git("commit", "-q", "--no-edit")


@operation("`merge --squash` over an upstream rename of the file")
def squash_merged_over_a_rename(repo):
    repo.git("checkout", "-q", "main")
    repo.git("mv", "a", "c")
    repo.commit()
    squash_merged(repo)


@operation("a forge's squash button, with the commits' messages")
def squashed_by_a_forge(repo):
    bodies = b"\n".join(b"* " + message(repo, f"topic{back}") for back in ("~1", ""))
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit(None, b"Title (#7)\n\n" + bodies)


@operation("a forge's squash button, with the title alone")
def squashed_to_a_title(repo):
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit(None, b"Title (#7)\n")


@operation("a squash of recorded commits and one made by hand")
def squashed_with_others(repo):
    repo.commit({"b": text(word="row").replace("row 5\n", "five\n")})
    squash_merged(repo)


@operation("a merge commit of the branch: the commits")
def merged(repo):
    shifted(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return "main^1..topic"


@operation("a merge commit of the branch: the merge")
def merge(repo):
    merged(repo)


@operation("`revert`: the commit that takes it back")
def reverted(repo):
    repo.git("revert", "--no-edit", "HEAD")


@operation("`format-patch`, `am`")
def mailed(repo):
    patch = repo.git("format-patch", "--stdout", "topic~1..topic")
    repo.git("checkout", "-q", "--detach", "topic~1")
    repo.git("am", "-q", data=patch + b"\n")


@operation("`format-patch`, `am`, a file with CRLF lines and `--keep-cr`")
def mailed_with_endings(repo):
    edit(repo, "mixed", ("three", "3"))
    patch = repo.git("format-patch", "--stdout", "HEAD~1..HEAD")
    repo.git("checkout", "-q", "--detach", "HEAD~1")
    repo.git("am", "-q", "--keep-cr", data=patch + b"\n")


@operation("`fast-export`, `fast-import`")
def exported(repo):
    stream = repo.git("fast-export", "topic")
    repo.git("checkout", "-q", "main")
    repo.git("update-ref", "-d", "refs/heads/topic")
    repo.git("fast-import", "--quiet", "--force", data=stream + b"\n")
    repo.git("checkout", "-q", "topic")


@operation("history rewritten so that the file lies in another folder")
def moved_below(repo):
    move = "git ls-files -s | sed 's,\\t,\\tsub/,' | GIT_INDEX_FILE=new git update-index --index-info"
    script = f"{move} && mv new $GIT_INDEX_FILE"
    repo.git("filter-branch", "-f", "--index-filter", script, "topic", FILTER_BRANCH_SQUELCH_WARNING="1")


@operation("`commit --amend` with one more byte outside the recorded regions")
def more_bytes(repo):
    repo.commit({"a": repo.read("a") + b"x"}, message(repo), "--amend")


@operation("`commit --amend` with other bytes inside one")
def other_bytes(repo):
    repo.commit({"a": repo.read("a").replace(b"thirty", b"Thirty")}, message(repo), "--amend")


@operation("`commit --amend` with one more file")
def more_files(repo):
    repo.commit({"more": "x\n"}, message(repo), "--amend")


@operation("`commit --amend` with flattened line endings")
def flattened(repo):
    edit(repo, "mixed", ("three", "3"))
    repo.commit({"mixed": repo.read("mixed").replace(b"\r\n", b"\n")}, message(repo), "--amend")


@operation("a conflict resolved by hand")
def resolved(repo):
    repo.git("checkout", "-q", "main")
    repo.commit({"a": text().replace("line 30\n", "thirty-one\n")})
    assert repo.git("cherry-pick", "topic", check=False) == 1
    repo.write("a", text().replace("line 30\n", "both\n"))
    repo.git("add", "a")
    repo.git("cherry-pick", "--continue")


@operation("the record copied into another commit's trailers")
def copied(repo):
    repo.commit({"b": "other\n"}, message(repo))


@operation("the Record line altered")
def altered(repo):
    repo.commit(None, message(repo).replace(b"mode=strict", b"mode=anchored"), "--amend")


@operation("an Edit line altered")
def altered_edit(repo):
    repo.commit(None, re.sub(rb"(0\.0 \d+)", rb"\g<1>1", message(repo)), "--amend")


@operation("an Edit line dropped")
def dropped(repo):
    repo.commit(None, re.sub(rb"Gitedit-Edit: .*\n(?: .*\n)*", b"", message(repo)), "--amend")


@operation("a shallow clone that ends at the commit")
def cut_off(repo):
    repo.git("clone", "-q", "--depth=1", "-b", "topic", f"file://{repo.path}", "cut")
    repo.path = os.path.join(repo.path, "cut")


def said(reports):
    """Return the verdicts as the table writes them: the one that all have."""
    (words,) = {
        report.status
        + (f" ({report.detail})" if report.detail else "")
        + "".join(
            f", {finding.reason or finding.rule}"
            for finding in report.findings
            if finding.reason or finding.rule != report.status
        )
        for report in reports
    }
    return words


def rows():
    with open(os.path.join(TOP, "docs", "provenance.md"), encoding="utf-8") as stream:
        table = stream.read().partition("| what is done |")[2].partition("\n\n")[0]
    cells = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    return {words: verdict.replace("`", "") for words, verdict in cells}


def test_table_has_the_rows_that_are_measured():
    assert list(rows()) == list(OPERATIONS)


@pytest.mark.parametrize("words", OPERATIONS)
def test_verdict_is_the_documented_one(work, words):
    revisions = OPERATIONS[words](work) or "HEAD^!"
    verdict = said(audited(work, revisions, every_commit=True).commits)
    assert verdict == rows().get(words)


def test_large_record_is_complete_when_its_ref_was_fetched_as_documented(repo, make_repo):
    repo.commit({"a": text(160)})
    # Every other line: regions that touch are one.
    edits = [{"oldText": line(number), "newText": f"Line {number}\n"} for number in range(1, 160, 2)]
    batch = json.dumps({"path": "a", "edits": edits}).encode()
    assert run(repo.env, "apply", "--commit", data=batch, cwd=repo.path).status == 0
    other = make_repo("other")
    other.git("fetch", "-q", repo.path, "main:copy")
    assert said(audited(other, "copy^!").commits) == "incomplete"
    with open(os.path.join(TOP, "docs", "provenance.md"), encoding="utf-8") as stream:
        (refspec,) = re.findall(r"(?m)^git fetch origin '(.*records.*)'$", stream.read())
    other.git("fetch", "-q", repo.path, refspec)
    assert said(audited(other, "copy^!").commits) == "verified (exact)"
