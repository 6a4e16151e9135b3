"""The conformance vectors: 3,089 inputs and the answers of the two reference tools, or ours where they differ."""

import base64
import gzip
import json
from pathlib import Path

import pytest

import gitedit

VECTORS = Path(__file__).parent.parent / "vectors"


def rows(name):
    data = (VECTORS / name).read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    return [json.loads(line) for line in text.decode().splitlines()]


def answer(row):
    source = base64.b64decode(row["source_b64"])
    edits, mode = row.get("edits"), row.get("mode", "strict")
    if "raw" in row:
        shaped = gitedit.prepare_arguments(row["raw"])
        if not shaped["path"]:
            return {"ok": False, "code": "missing-path"}
        edits = shaped["edits"]
    try:
        revision = gitedit.apply_edits(source, edits, mode=mode)
    except gitedit.EditError as error:
        return {"ok": False, "code": error.code}
    outcomes = [{"matchedVia": o.matched_via, "startLine": o.start_line, "endLine": o.end_line} for o in revision.edits]
    return {"ok": True, "content_b64": base64.b64encode(revision.content).decode(), "edits": outcomes}


@pytest.mark.parametrize(
    ("name", "count"), [("strict.jsonl.gz", 2240), ("anchored.jsonl.gz", 782), ("shapes.jsonl", 67)]
)
def test_answers_when_given_every_vector(name, count):
    table = rows(name)
    assert len(table) == count
    assert {row["id"]: answer(row) for row in table} == {row["id"]: row["expect"] for row in table}


@pytest.mark.parametrize("row", rows("shapes.jsonl"), ids=lambda row: row["id"])
def test_prepare_arguments_is_idempotent_when_given_every_shape(row):
    once = gitedit.prepare_arguments(row["raw"])
    assert gitedit.prepare_arguments(once) == once
