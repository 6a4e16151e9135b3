"""The JSON documents: one line of ASCII each, bytes that are not UTF-8 as escaped lone surrogates."""

import json
from typing import Any

from gitedit.edits.endings import census
from gitedit.edits.hunks import changes, first_changed_line, hunks
from gitedit.errors import EditError, Problem
from gitedit.publish.result import FileResult, Result
from gitedit.report.numbered import numbered
from gitedit.report.patch import unified


def applied(result: Result) -> str:
    """Return the document of an apply that was done, or would have been."""
    return document(
        {
            "ok": True,
            "mode": result.mode,
            "semantics": result.semantics,
            "dryRun": result.dry_run,
            "commit": result.commit,
            "ref": result.ref,
            "parent": result.parent,
            "recordId": result.record_id,
            "files": [facts(file) for file in result.files],
            "warnings": list(result.warnings),
        }
    )


def refused(error: EditError) -> str:
    """Return the document of a refusal, of any command that has a JSON form."""
    return document(
        {
            "ok": False,
            "error": {
                "code": error.code,
                "message": error.message,
                "hint": error.hint,
                "problems": [_problem(problem) for problem in error.problems],
            },
        }
    )


def document(value: dict[str, Any]) -> str:
    """Return a value as one line of ASCII JSON with its newline."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n"


def facts(file: FileResult) -> dict[str, Any]:
    """Return what there is to say about one file of a batch."""
    found = changes(file.old, file.new, file.regions)
    return {
        "path": file.path,
        "edits": [
            {"matchedVia": edit.matched_via, "startLine": edit.start_line, "endLine": edit.end_line}
            for edit in file.edits
        ],
        "added": file.added,
        "removed": file.removed,
        "firstChangedLine": first_changed_line(found, file.new),
        "lineEndings": {"before": _endings(file.old), "after": _endings(file.new)},
        "diff": "".join(line + "\n" for line in numbered(hunks(file.old, found))),
        "patch": unified(file.path, file.old, file.new, file.regions),
    }


def _endings(data: bytes) -> dict[str, int]:
    counted = census(data)
    return {"lf": counted.lf, "crlf": counted.crlf, "cr": counted.cr}


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "path": problem.path,
        "edit": problem.edit,
        "code": problem.code,
        "message": problem.message,
        "lines": list(problem.lines),
    }
