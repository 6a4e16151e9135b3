"""The numbers of `gitedit stats`: tables for people, one JSON document or CSV rows for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gitedit.report.documents import document
from gitedit.report.escapes import shown_path, visible
from gitedit.report.rows import counted, row
from gitedit.report.verdicts import short

if TYPE_CHECKING:
    from gitedit.commands.stats import Row, Stats

TITLES = ("commits", "edits", "added", "removed", "at head", "share")
_MOST_ROWS = 20
_WIDEST = 50
COLUMNS = ("by", "key", "commits", "edits", "added", "removed", "lines", "of", "share", "strategies", "verdicts")


def stats_lines(stats: "Stats") -> Iterator[str]:
    """Yield a summary and a table each for agents, paths and months, for pipes."""
    yield headline(stats) + "\n"
    for name, rows in filled(stats):
        cells = [(name, *TITLES, "strategies", "verdicts"), *map(cells_of(name), shown(rows))]
        widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES) + 2)]
        yield "\n"
        for line in cells:
            numbers = (f"{text:>{width}}" for text, width in zip(line[1:7], widths[1:7], strict=True))
            how = f"{line[7]:<{widths[7]}}"
            yield "  ".join([f"{line[0]:<{widths[0]}}", *numbers, how, line[8]]).rstrip() + "\n"
        yield from (f"{text}\n" for text in more(rows))


def headline(stats: "Stats") -> str:
    """Return the sum of it all in one line."""
    verdicts = ", ".join(f"{count} {status}" for status, count in stats.verdicts.items())
    said = f"{stats.commits} recorded commit{'s' * (stats.commits != 1)}" + (f" ({verdicts})" if verdicts else "")
    share = percent(stats.recorded, stats.lines)
    return f"{short(stats.head)}: recorded edits wrote {stats.recorded} of {stats.lines} lines ({share}); {said}"


def sections(stats: "Stats") -> "tuple[tuple[str, Sequence[Row]], ...]":
    """Return the three tables by the name of their first column."""
    return ("agent", stats.agents), ("path", stats.paths), ("month", stats.months)


def filled(stats: "Stats") -> "list[tuple[str, Sequence[Row]]]":
    """Return the tables in which something stands."""
    return [(name, rows) for name, rows in sections(stats) if rows]


def cells_of(name: str) -> Any:  # noqa: ANN401 - a function of a row
    """Return the function that makes a row's cells."""

    def cells(one: "Row") -> tuple[str, ...]:
        key = "(no agent)" if one.key is None else shown_path(one.key) if name == "path" else visible(one.key)
        key = key if len(key) <= _WIDEST else f"…{key[1 - _WIDEST :]}"
        numbers = (one.commits, one.edits, one.added, one.removed, one.lines)
        how = visible(", ".join(f"{strategy} {count}" for strategy, count in one.strategies.items()))
        verdicts = ", ".join(f"{status} {count}" for status, count in one.verdicts.items())
        return key, *map(str, numbers), percent(one.lines, one.of), how, verdicts

    return cells


def shown(rows: "Sequence[Row]") -> "Sequence[Row]":
    """Return the rows that a table shows."""
    return rows[:_MOST_ROWS]


def more(rows: "Sequence[Row]") -> list[str]:
    """Say how many rows are not shown."""
    return [f"... and {len(rows) - _MOST_ROWS} more; --format json lists all"] if len(rows) > _MOST_ROWS else []


def percent(part: int, whole: int) -> str:
    """Return `12.5%`, or `-` of nothing."""
    return f"{100 * part / whole:.1f}%" if whole else "-"


def stats_document(stats: "Stats") -> str:
    """Return the JSON document."""
    return document(
        {
            "ok": True,
            "head": stats.head,
            "lines": stats.lines,
            "recordedLines": stats.recorded,
            "share": _share(stats.recorded, stats.lines),
            "commits": stats.commits,
            "verdicts": dict(stats.verdicts),
            **{f"{name}s": [_facts(name, one) for one in rows] for name, rows in sections(stats)},
        }
    )


def stats_rows(stats: "Stats") -> Iterator[str]:
    """Yield a header and a row of comma-separated values for each agent, path and month."""
    yield row(COLUMNS)
    for name, rows in sections(stats):
        for one in rows:
            numbers = (one.commits, one.edits, one.added, one.removed, one.lines, one.of)
            how = counted(dict(one.strategies)), counted(dict(one.verdicts))
            key = shown_path(one.key or "") if name == "path" else one.key
            yield row((name, key, *numbers, _share(one.lines, one.of), *how))


def _facts(name: str, one: "Row") -> dict[str, Any]:
    facts = one._asdict()
    return {
        name: facts.pop("key"),
        **facts,
        "share": _share(one.lines, one.of),
        "strategies": dict(one.strategies),
        "verdicts": dict(one.verdicts),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
