"""What a person at a terminal sees after an apply: path, strategies and lines, a short diff in colour, the commit.

With `richtable` the only module that imports rich (60 ms): nothing does, unless standard output is a terminal.
"""

import io
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from gitedit.edits.hunks import changes, hunks
from gitedit.publish.result import FileResult, Result
from gitedit.report.escapes import shown_path, visible
from gitedit.report.numbered import numbered
from gitedit.report.text import places, totals

_CONTEXT = 2
_MOST_LINES = 40
_MOST_FILES = 20
"""Files whose lines are shown: rich takes 0.1 ms a line."""
_TAB = 4
_SHORT_ID = 10
_STYLES = {"+": "green", "-": "red"}


def rendered(result: Result, width: int, *, colour: bool) -> str:
    """Return the lines to show, none wider than `width` columns."""
    out = io.StringIO()
    # Everything is said here, or rich asks the environment (NO_COLOR, TERM, COLUMNS) behind our back.
    console = Console(
        file=out,
        width=width,
        height=_MOST_LINES,
        force_terminal=True,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
    )
    for line in _lines(result, width):
        line.truncate(width, overflow="ellipsis")
        console.print(line, highlight=False, no_wrap=True, crop=False, overflow="ignore")
    return out.getvalue()


def _lines(result: Result, width: int) -> Iterator[Text]:
    for index, file in enumerate(result.files):
        yield Text.assemble((shown_path(file.path), "bold"), "  ", totals(file), "  ", (places(file.edits), "cyan"))
        if index < _MOST_FILES:
            yield from _diff(file, width)
    if result.commit is not None:
        yield _commit(result)


def _diff(file: FileResult, width: int) -> Iterator[Text]:
    found = hunks(file.old, changes(file.old, file.new, file.regions), _CONTEXT)
    # No character of UTF-8 has more than four bytes, so nothing that would fit is cut here.
    for line in numbered(found, _MOST_LINES, longest=4 * width):
        shown = visible(line).expandtabs(_TAB)
        yield Text("  " + shown, _STYLES.get(shown[:1], "dim"))


def _commit(result: Result) -> Text:
    where = (result.ref or "detached HEAD").removeprefix("refs/heads/")
    line = Text.assemble(
        "[", (visible(where), "bold"), " ", ((result.commit or "")[:_SHORT_ID], "yellow"), "] ", "verified: "
    )
    added, removed = sum(file.added for file in result.files), sum(file.removed for file in result.files)
    count = len(result.files)
    line.append(f"exactly +{added} -{removed} in {count} file{'s' * (count != 1)}")
    if result.record_id is not None:
        line.append(f", record {result.record_id}", "dim")
    return line
