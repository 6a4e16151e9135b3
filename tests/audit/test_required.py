"""Records that are due: who owes one, and when it counts."""

import pytest

from gitedit.commands.audit import exit_status
from gitedit.errors import EditError
from tests.audit.recorded import audited, head


@pytest.mark.parametrize(
    ("rule", "due"),
    [
        ("author:T", True), ("author:t@example.*", True), ("author:T <t@*", True), ("author:X", False),
        ("path:c", True), ("path:d/*", True), ("path:e", False),
        ("agent:Claude*", True), ("agent:Bot", True), ("agent:Other*", False),
    ],
)  # fmt: skip
def test_missing_is_found_when_a_record_is_due(work, rule, due):
    trailers = "Assisted-by: Claude:opus [tool]\nCo-Authored-By: Bot <bot@example.invalid>\n"
    work.commit({"c": "c\n", "d/x": "x\n"}, "by hand\n\n" + trailers)
    report = audited(work, "HEAD", require=(rule,))
    found = [commit.status for commit in report.commits if commit.commit == work.oid()]
    assert found == ["missing"] * due
    assert report.commits[-1].status in ("verified", "missing")
    assert exit_status(audited(work, require=(rule,))) == due


def test_missing_is_added_when_the_record_is_not_verified(work):
    work.write("c", "c\n")
    work.git("add", "c")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert head(work, require=("agent:Claude*",)) == ("modified", None, ["extra-path", "missing"])


def test_commit_is_unverifiable_when_a_path_rule_cannot_see_its_paths(work, make_repo):
    work.commit({"c": "c\n"}, "by hand\n")
    work.git("config", "uploadpack.allowFilter", "true")
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", "file://" + work.path)
    clone.git("fetch", "-q", "--filter=tree:0", "origin", "main")
    report = audited(clone, "origin/main", require=("path:c",))
    assert [commit.status for commit in report.commits] == ["unverifiable"] * 3
    assert exit_status(report) == 1
    allowed = audited(clone, "origin/main", require=("path:c",), allow_unverifiable=True)
    assert exit_status(allowed, allow_unverifiable=True) == 0


@pytest.mark.parametrize("rule", ["", "agent", "agent:", "who:x", ":x", "AGENT:x"])
def test_require_refuses_other_rules(work, rule):
    with pytest.raises(EditError) as caught:
        audited(work, require=(rule,))
    assert caught.value.exit_status == 2
