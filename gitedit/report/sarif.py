"""An audit as SARIF 2.1.0: one rule a kind of finding, one result a finding, the recorded regions beside it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from gitedit import __version__
from gitedit.audit.model import ERROR, NOTE, NOTES, AuditReport, CommitReport, EditFacts, FileFacts, Finding
from gitedit.report.escapes import visible
from gitedit.report.verdicts import agents, boundary, kind, short

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES = {
    "malformed": "The record in the commit's trailer block has a bad grammar or checksum.",
    "forged": "The record contradicts itself, or the blobs that it names.",
    "modified": "The commit holds more, less or other bytes, paths or modes than its record says.",
    "unverifiable": "The record cannot be held against the commit here.",
    "incomplete": "File or Edit lines of the record are lost.",
    "missing": "A record is due, and there is no verified one.",
    "duplicate": "The same record is verified on a commit and again on a descendant.",
    "reverts": "The commit takes back a verified record.",
    "quotation": "The message quotes a record, and claims none.",
    "renamed": "The recorded path has another name in this commit.",
    "agent-mismatch": "The message names another agent than the record.",
    "place-not-unique": "The recorded bytes stand in the parent's version more than once.",
    "signature": "The commit's signature is bad, or git cannot say that it is good.",
}
"""What a finding's rule means; in the order of their indexes."""
_NO_FILE = "commit-message"
"""Code scanning of forges refuses a file in which one result has no place."""
_MOST_REGIONS = 20
"""Recorded regions that are listed beside a finding."""


def audit_sarif(report: AuditReport) -> Iterator[str]:
    """Yield the document, result by result: one JSON text of ASCII, without lone surrogates."""
    driver = {"name": "gitedit", "version": __version__, "rules": [_rule(name) for name in RULES]}
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if report.boundary:
        said = [{"level": "warning", "message": {"text": boundary(oid)}} for oid in report.boundary]
        invocation["toolExecutionNotifications"] = said
    run = json.dumps({"tool": {"driver": driver}, "invocations": [invocation]})
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{run[:-1]}, "results": ['
    seen: Counter[str] = Counter()
    separator = ""
    for commit in report.commits:
        for finding in commit.findings:
            yield separator + json.dumps(_result(commit, finding, seen))
            separator = ", "
    yield "]}]}\n"


def _rule(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": RULES[name]},
        "defaultConfiguration": {"level": NOTE if name in NOTES else ERROR},
    }


def _result(commit: CommitReport, finding: Finding, seen: Counter[str]) -> dict[str, Any]:
    said = f"Commit {short(commit.commit)} ({visible(commit.subject)}): {kind(finding)}: {visible(finding.message)}"
    print_ = _fingerprint(commit, finding)
    seen[print_] += 1
    # The key that GitHub looks at, and one of our own.
    named = f"{print_}:{seen[print_]}"
    result = {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": finding.level,
        # `[text](target)` in a message is a link.
        "message": {"text": said.replace("](", "] (")},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {"primaryLocationLineHash": named, "gitedit/v1": named},
        "properties": {
            "commit": commit.commit,
            "status": commit.status,
            "reason": finding.reason,
            "records": [record.id for record in commit.records],
            "agents": [visible(agent) for agent in agents(commit.records)],
        },
    }
    related = list(_regions(commit, finding))
    if related:
        result["relatedLocations"] = related
    return result


def _fingerprint(commit: CommitReport, finding: Finding) -> str:
    """Return what stays when the commit is rebased or the line moves: no commit id, no line number."""
    who = [commit.author_email, commit.date, commit.subject]
    facts = [finding.rule, finding.reason, finding.path, *sorted(record.id for record in commit.records), *who]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def _location(finding: Finding) -> dict[str, Any]:
    if finding.path is None:
        return {"artifactLocation": {"uri": _NO_FILE}, "region": {"startLine": 1}}
    location: dict[str, Any] = {"artifactLocation": _artifact(finding.path)}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line}
    return location


def _regions(commit: CommitReport, finding: Finding) -> Iterator[dict[str, Any]]:
    """Yield the recorded regions of the file at hand, by line and by byte, as far as the audit has found them."""
    for number, (file, edit) in enumerate(_placed(commit, finding.path)[:_MOST_REGIONS]):
        if edit.placed:
            region = {"startLine": edit.placed.line, "byteOffset": edit.placed.new, "byteLength": edit.new_length}
            place = {"artifactLocation": _artifact(file.path), "region": region}
            text = f"recorded edit ({visible(edit.strategy)})"
            yield {"id": number, "physicalLocation": place, "message": {"text": text}}


def _placed(commit: CommitReport, path: str | None) -> list[tuple[FileFacts, EditFacts]]:
    return [
        (file, edit)
        for record in commit.records
        for file in record.files
        for edit in file.edits
        if edit.placed and (path is None or file.path == path)
    ]


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path.encode("utf-8", "surrogateescape"), safe="/"), "uriBaseId": "%SRCROOT%"}
