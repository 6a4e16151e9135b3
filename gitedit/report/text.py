"""Plain text for pipes and logs: a line per file, then the commit; stable, without colour. And refusals, in words."""

from collections.abc import Iterator, Sequence

from gitedit.edits.model import Outcome
from gitedit.errors import EditError
from gitedit.publish.result import FileResult, Result
from gitedit.report.escapes import shown_path, visible

_EDITS_LISTED = 8
_PROBLEMS_LISTED = 20
_RED, _YELLOW, _CYAN, _GREEN, _BOLD, _PLAIN = "31", "33", "36", "32", "1", "0"
_PATCH_COLOURS = {"+": _GREEN, "-": _RED, "@": _CYAN, "d": _BOLD}


def plain(result: Result) -> str:
    """Return a line per file and `commit <id>` where one was made."""
    lines = [f"{shown_path(file.path)}: {totals(file)} ({places(file.edits)})" for file in result.files]
    if result.commit is not None:
        lines.append(f"commit {result.commit}")
    return "".join(line + "\n" for line in lines)


def notes(result: Result, *, colour: bool = False) -> str:
    """Return what belongs on standard error after an apply: the warnings, and that a dry run wrote nothing."""
    lines = [f"{_painted('warning:', _YELLOW, colour=colour)} {_one_line(warning)}" for warning in result.warnings]
    if result.dry_run:
        lines.append("dry run: nothing was written")
    return "".join(line + "\n" for line in lines)


def refusal(error: EditError, *, colour: bool = False) -> str:
    """Return a refusal as `error:`, its problems where there are several, and `hint:`."""
    lines = [f"{_painted('error:', _RED, colour=colour)} {_one_line(error.message)}"]
    if len(error.problems) > 1:
        lines += [
            "  " + (f"{shown_path(problem.path)}: " if problem.path is not None else "") + _one_line(problem.message)
            for problem in error.problems[:_PROBLEMS_LISTED]
        ]
        if len(error.problems) > _PROBLEMS_LISTED:
            lines.append(f"  ... and {len(error.problems) - _PROBLEMS_LISTED} more")
    lines += [f"{_painted('hint:', _CYAN, colour=colour)} {visible(line)}" for line in error.hint.split("\n") if line]
    return "".join(line + "\n" for line in lines)


def painted_patch(patch: str) -> str:
    """Return a patch for a terminal: coloured by line, with nothing in it that the terminal obeys but the colours."""
    return "".join(_painted_line(line) + "\n" for line in patch.removesuffix("\n").split("\n")) if patch else ""


def visible_patch(patch: str) -> str:
    """Return a patch for a terminal without colour."""
    return "".join(visible(line) + "\n" for line in patch.removesuffix("\n").split("\n")) if patch else ""


def totals(file: FileResult) -> str:
    """Return `2 edits, +3 -2`."""
    return f"{len(file.edits)} edit{'s' * (len(file.edits) != 1)}, +{file.added} -{file.removed}"


def places(edits: Sequence[Outcome]) -> str:
    """Return how and where the edits matched, in input order: `exact 3, line-trimmed 20-21`."""
    listed = list(_places(edits[:_EDITS_LISTED]))
    if len(edits) > _EDITS_LISTED:
        listed.append(f"{len(edits) - _EDITS_LISTED} more")
    return ", ".join(listed)


def _places(edits: Sequence[Outcome]) -> Iterator[str]:
    for via, start, end in edits:
        yield f"{via} {start}" if start == end else f"{via} {start}-{end}"


def _one_line(message: str) -> str:
    return visible(" ".join(message.split("\n")))


def _painted(text: str, code: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[{_PLAIN}m" if colour else text


def _painted_line(line: str) -> str:
    code = _PATCH_COLOURS.get(line[:1])
    if line.startswith(("--- ", "+++ ")):
        code = _BOLD
    return _painted(visible(line), code, colour=True) if code else visible(line)
