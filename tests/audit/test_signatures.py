"""Signatures made by ssh: what git says of them counts beside what the record proves, and never instead of it."""

import pytest

from gitedit.audit.signatures import checked
from gitedit.commands.audit import exit_status
from tests.audit.recorded import audited, edit, line, text
from tests.audit.signing import rewrite, sign, with_key
from tests.report.audits import commit


@pytest.fixture
def signed(repo, tmp_path):
    """Return a repository with one recorded commit that is signed by a trusted key."""
    with_key(repo, tmp_path)
    repo.commit({"a": text()})
    edit(repo, "a", (line(10), "ten\n"))
    sign(repo)
    return repo


def found(repo, *revisions, **more):
    """Audit with signatures; return (status, letter, levels of the findings, exit status) of HEAD."""
    whole = audited(repo, *revisions, signatures=True, **more)
    report = whole.commits[0]
    assert {finding.rule for finding in report.findings} <= {"signature"}
    return report.status, report.signature, [finding.level for finding in report.findings], exit_status(whole)


def test_signature_is_told_and_not_judged_when_nobody_asks(signed):
    rewrite(signed, b"Edit a:", b"Edit A:")
    [report] = audited(signed).commits
    assert (report.status, report.signed, report.signature, report.findings) == ("verified", True, None, ())


def test_nothing_is_found_when_the_signature_is_good(signed):
    assert found(signed) == ("verified", "G", [], 0)


def test_nothing_is_found_when_there_is_no_signature(signed):
    edit(signed, "a", (line(20), "twenty\n"))
    assert found(signed) == ("verified", None, [], 0)


def test_bad_signature_is_an_error_and_the_record_stays_verified(signed):
    rewrite(signed, b"Edit a:", b"Edit A:")
    assert found(signed) == ("verified", "B", ["error"], 1)


def test_bad_signature_is_an_error_when_the_verdict_on_the_record_is_kept(signed):
    rewrite(signed, b"Edit a:", b"Edit A:")
    for _ in range(2):
        assert found(signed, cache=True) == ("verified", "B", ["error"], 1)
    assert audited(signed, cache=True).commits[0].findings == ()


def test_signature_is_an_error_when_its_key_is_revoked(signed, tmp_path):
    signed.git("config", "gpg.ssh.revocationFile", str(tmp_path / "key.pub"))
    # Of ssh git says `B` in that case, `R` of OpenPGP.
    assert found(signed)[2:] == (["error"], 1)


def test_signature_is_a_warning_when_nobody_is_known_by_its_key(signed, tmp_path):
    (tmp_path / "allowed").write_bytes(b"")
    assert found(signed) == ("verified", "U", ["warning"], 0)
    assert exit_status(audited(signed, signatures=True), fail_on="warning") == 1


def test_signature_is_a_warning_when_git_has_nothing_to_check_it_with(signed):
    rewrite(signed, b"SSH SIGNATURE", b"PGP SIGNATURE")
    signed.git("config", "gpg.program", "/nowhere/gpg")
    assert found(signed)[2:] == (["warning"], 0)


def test_other_signatures_are_checked_when_git_dies_of_one(signed):
    good = signed.oid()
    rewrite(signed, b"BEGIN SSH SIGNATURE", b"BEGIN NO SIGNATURE")
    broken = signed.oid()
    edit(signed, "a", (line(20), "twenty\n"))
    sign(signed)
    edit(signed, "a", (line(30), "thirty\n"))
    sign(signed)
    letters = {report.commit: report.signature for report in audited(signed, "HEAD", good, signatures=True).commits}
    assert letters.pop(broken) == "E"
    assert list(letters.values()) == ["G", "G", "G"]


def test_ordinary_commit_is_asked_for_when_all_are_listed(signed):
    signed.git("commit", "-q", "--allow-empty", "-m", "by hand", "-S")
    rewrite(signed, b"by hand", b"By hand")
    assert audited(signed, signatures=True).commits == ()
    assert found(signed, every_commit=True) == ("no-record", "B", ["error"], 1)


@pytest.mark.parametrize("letter", "BRUXYEN?")
def test_every_letter_but_that_of_a_good_one_is_found(monkeypatch, letter):
    monkeypatch.setattr("gitedit.git.history.signatures", lambda _, oids: dict.fromkeys(oids, letter))
    [report] = checked(None, [commit(signed=True)])
    [finding] = report.findings
    assert (finding.rule, finding.level) == ("signature", "error" if letter in "BR" else "warning")
    assert report.signature == letter
