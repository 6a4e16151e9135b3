"""Which records of a message claim the commit and which only quote one; and what is wrong before any byte is read."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from gitedit.audit.model import ERROR, NOTE, WARNING, Finding
from gitedit.record.encoding import decode_value
from gitedit.record.grammar import parse_lines_blob
from gitedit.record.model import FoundRecord, Reading, Record

_ASSISTED = "assisted-by:"
_FEW = 20
"""Findings of one kind that a commit gets: a message may hold thousands of quotations."""


class Claims(NamedTuple):
    """What one message claims."""

    records: tuple[FoundRecord, ...]
    """All claims, sound or not."""
    sound: tuple[Record, ...]
    """Those that are complete and do not contradict themselves."""
    findings: tuple[Finding, ...]
    quoted: tuple[FoundRecord, ...] = ()
    """What is no claim."""


def claims_in(
    reading: Reading, touched: frozenset[str] | None, delta: str | None, lines: Callable[[str], bytes | None]
) -> Claims:
    """Tell claims from quotations, and judge syntax, checksums and lost lines.

    Args:
        reading: what the message says.
        touched: the paths that the commit changes, also under other names; None where that is not known.
        delta: the `delta` of its whole diff; None likewise.
        lines: returns what `refs/gitedit/records/<id>` holds, or None.
    """
    findings: list[Finding] = []
    if reading.nul:
        findings.append(Finding("malformed", ERROR, "the message holds a NUL: git shows only what stands before it"))
    claimed, quoted = _told_apart([_with_lines(found, lines) for found in reading.records], touched)
    findings += [finding for found in claimed if (finding := _problem(found, delta))]
    if reading.strays and not any(found.position == "trailer" for found in claimed):
        message = f"line {reading.strays[0]} of the message is a File or Edit line whose Record line is lost"
        findings.append(Finding("incomplete", ERROR, message))
    findings += [quotation(found.record) for found in quoted[:_FEW]]
    sound = tuple(found.record for found in claimed if is_sound(found))
    return Claims(tuple(claimed), sound, tuple(findings), tuple(quoted))


def is_sound(found: FoundRecord) -> bool:
    """Return whether a record is complete and does not contradict itself."""
    return bool(found.record.files) and not (found.malformed or found.unsupported or found.forged or found.lost)


def quotation(record: Record) -> Finding:
    """Return the note for a record that does not speak of this commit."""
    return Finding("quotation", NOTE, f"the message quotes record {record.id}, which is another commit's")


def agent_findings(message: str, records: Collection[FoundRecord]) -> list[Finding]:
    """Return a note for each record whose agent none of the message's Assisted-by lines names."""
    agents = [(found.record.id, decode_value(agent)) for found in records if (agent := found.record.value("agent"))]
    # As apply writes it: no need to look at every line.
    if len(agents) <= 1 and all(f"\nAssisted-by: {agent}\n" in message for _, agent in agents):
        return []
    named = {
        line.strip()[len(_ASSISTED) :].partition("[")[0].strip()
        for line in message.split("\n")
        if line.lstrip().lower().startswith(_ASSISTED)
    }
    return [
        Finding("agent-mismatch", NOTE, f"record {own} names the agent {agent}, the Assisted-by lines do not")
        for own, agent in agents
        if named and agent not in named
    ][:_FEW]


def _told_apart(
    records: Sequence[FoundRecord], touched: frozenset[str] | None
) -> tuple[list[FoundRecord], list[FoundRecord]]:
    """Return claims and quotations, each in message order."""
    by_path: dict[str, list[int]] = {}
    for number, found in enumerate(records):
        for path in found.paths:
            by_path.setdefault(path, []).append(number)
    claimed: set[int] = set()
    pending = [number for path in touched or () for number in by_path.pop(path, ())]
    for number, found in enumerate(records):
        # Lines that a lost ref kept name no path: such a record may well be this commit's.
        if found.position == "trailer" or touched is None or (found.lost and found.record.lines_in_ref):
            pending.append(number)
    while pending:
        number = pending.pop()
        if number not in claimed:
            claimed.add(number)
            # What a claim records and the commit does not change, another record may have taken back.
            pending += (other for path in records[number].paths for other in by_path.pop(path, ()))
    claims = [found for number, found in enumerate(records) if number in claimed]
    return claims, [found for number, found in enumerate(records) if number not in claimed]


def _with_lines(found: FoundRecord, lines: Callable[[str], bytes | None]) -> FoundRecord:
    """Return the record with the lines that a ref keeps for it."""
    record = found.record
    if not record.lines_in_ref or record.files or found.malformed or found.unsupported or found.forged:
        return found
    data = lines(record.id)
    assembly = parse_lines_blob(b"" if data is None else data, record)
    if data is None:
        return found._replace(lost=assembly.lost)
    return found._replace(
        record=record._replace(files=assembly.files), lost=assembly.lost, forged=assembly.forged, paths=assembly.paths
    )


def _problem(found: FoundRecord, delta: str | None) -> Finding | None:
    record = found.record
    if found.malformed:
        return Finding("malformed", ERROR, f"line {found.line} of the message: {found.malformed}")
    if found.unsupported:
        return Finding("unverifiable", ERROR, f"a record of version {found.unsupported}: newer than this gitedit")
    if found.forged:
        return Finding("forged", ERROR, f"record {record.id}: {found.forged}")
    if found.lost:
        where = f", and refs/gitedit/records/{record.id} does not hold them" if record.lines_in_ref else ""
        fits = delta is not None and record.value("delta") == delta
        still = "; paths, modes and blobs are still the recorded ones" if fits else ""
        text = f"record {record.id} has lost {found.lost} of its File and Edit lines{where}{still}"
        return Finding("incomplete", WARNING if fits else ERROR, text)
    if not record.files:
        return Finding("malformed", ERROR, f"record {record.id} records no file")
    return None
