"""SARIF that the official schema accepts, with places, and fingerprints that stay."""

import json
import os
import re
from urllib.parse import unquote_to_bytes

import jsonschema
import pytest

from gitedit.audit.model import NOTES, SIGNATURE, STATUSES
from gitedit.report.sarif import RULES, audit_sarif

from .audits import HOSTILE, commit, finding, hostile, modified, report

with open(os.path.join(os.path.dirname(__file__), "sarif-schema-2.1.0.json"), encoding="utf-8") as stream:
    SCHEMA = jsonschema.Draft4Validator(json.load(stream))
URI = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2}")


def sarif(*commits, **facts):
    return parsed(report(*commits, **facts))


def parsed(made):
    said = "".join(audit_sarif(made))
    assert said.isascii()
    document = json.loads(said)
    # No lone surrogates: half of the world's JSON readers refuse them.
    json.dumps(document, ensure_ascii=False).encode()
    SCHEMA.validate(document)
    (run,) = document["runs"]
    return run


def test_there_are_no_results_when_all_is_well():
    run = sarif(commit(1), read=4)
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_rules_are_the_statuses_and_notes_that_findings_have():
    run = sarif()
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES)
    assert set(RULES) == {*STATUSES, *NOTES, SIGNATURE} - {"verified", "no-record"}


def test_result_has_line_rule_and_recorded_regions_when_a_path_is_known():
    (result,) = sarif(modified(1))["results"]
    assert (result["ruleId"], result["level"], list(RULES)[result["ruleIndex"]]) == ("modified", "error", "modified")
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3},
    }
    (region,) = result["relatedLocations"]
    assert region["physicalLocation"]["region"] == {"startLine": 2, "byteOffset": 5, "byteLength": 4}
    assert result["message"]["text"] == "Commit 000000000000 (Subject): outside-region: m"


def test_result_has_a_place_when_it_is_about_the_message():
    (result,) = sarif(modified(1, finding(None, None, None, rule="forged")))["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "commit-message"}


def test_boundary_is_a_notification_when_history_is_cut_off():
    (invocation,) = sarif(boundary=("b",))["invocations"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"].startswith("boundary b: ")


def fingerprints(*commits):
    return [result["partialFingerprints"]["gitedit/v1"] for result in sarif(*commits)["results"]]


def test_fingerprint_stays_when_the_commit_is_rebased_and_the_line_moves():
    assert fingerprints(modified(1)) == fingerprints(modified(2, finding(line=9, message="other words")))


@pytest.mark.parametrize("other", [finding("mode"), finding(path="b.py"), finding(rule="forged")])
def test_fingerprint_differs_when_the_finding_does(other):
    assert fingerprints(modified(1)) != fingerprints(modified(1, other))


def test_fingerprints_differ_when_equal_findings_are_many():
    assert len(set(fingerprints(modified(1), modified(2), modified(3)))) == 3


@pytest.mark.parametrize("value", HOSTILE)
def test_document_is_valid_when_values_are_hostile(value):
    first, second, note = parsed(hostile(value))["results"]
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert URI.sub("", uri) == ""
    assert unquote_to_bytes(uri) == os.fsencode(value.replace("\ud800", ""))
    for result in (first, second, note):
        text = result["message"]["text"]
        assert text.replace("\t", " ").isprintable()
        assert "](" not in text
