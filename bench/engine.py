"""The engine beside the least that any engine does, `data.find`, and beside the peers on the same input.

Only functions are timed, text in, text out: no process, no file, no diff for people.
"""

import contextlib
import time
from collections.abc import Callable
from random import Random

from measuring import Row, Skipped, interleaved, row
from peers import peers
from place import Place

from gitedit.edits.engine import apply_edits
from gitedit.errors import EditError

PATIENCE = 60.0
"""Seconds that a peer gets for a case."""
FASTER = 0.1
"""Where pi 0.84.3 finishes, ours takes at most a tenth of its time."""


def compared(
    place: Place,
    name: str,
    source: bytes,
    edits: list[dict[str, str]],
    *,
    base: tuple[str, Callable[[], object], float | None] | None = None,
    mode: str = "strict",
    theirs: list[dict[str, str]] | None = None,
    faster: float | None = None,
) -> list[Row | Skipped]:
    """Measure ours beside a base and beside each peer.

    Args:
        place: how often.
        name: of the row.
        source: the file.
        edits: of the file.
        base: what it is called, what it does, and what the ratio to it may be.
        mode: strict or anchored.
        theirs: the same edits without anchors.
        faster: what the ratio to pi 0.84.3 may be.
    """

    def ours(_number: int) -> float:
        started = time.perf_counter()
        with contextlib.suppress(EditError):  # a miss is what some rows are about
            apply_edits(source, edits, mode=mode)
        return time.perf_counter() - started

    rounds, found = place.rounds(9), []
    if base is not None:
        against, act, limit = base

        def least(_number: int) -> float:
            started = time.perf_counter()
            act()
            return time.perf_counter() - started

        times = interleaved({"ours": ours, "base": least}, rounds)
        found.append(row(name, against, times["ours"], times["base"], limit=limit, note=saying(source, edits, mode)))
    for peer in peers():
        if peer.missing:
            found.append(Skipped(name, peer.name, peer.missing))
            continue
        limit = faster if peer.name == "pi 0.84.3" else None
        found.append(beside(name, peer, ours, (source, theirs or edits), rounds, limit=limit))
        peer.close()
    return found


def beside(name: str, peer, ours, case, rounds: int, *, limit: float | None) -> Row | Skipped:
    """Compare with a peer, which answers once to warm up and to show whether it finishes."""
    first = peer.edit(*case, timeout=PATIENCE, timed=True)
    if first is None:
        mine = [ours(0) for _ in range(3)]
        note = f"not done in {PATIENCE:.0f} s: at most this ratio"
        return row(name, peer.name, mine, [PATIENCE] * 3, limit=limit, note=note)
    if first.seconds > 3:
        rounds = 3

    def theirs(_number: int) -> float:
        answer = peer.edit(*case, timeout=10 * PATIENCE, timed=True)
        return answer.seconds

    times = interleaved({"ours": ours, "theirs": theirs}, rounds)
    note = f"it says: {first.said[:60]}" if first.said else ""
    return row(name, peer.name, times["ours"], times["theirs"], limit=limit, note=note)


def saying(source: bytes, edits: list[dict[str, str]], mode: str) -> str:
    """Return how ours ends: the ways of the matches, or the code of the refusal."""
    try:
        ways = {outcome.matched_via for outcome in apply_edits(source, edits, mode=mode).edits}
    except EditError as error:
        return error.code
    return "+".join(sorted(ways))


def lines(count: int, seed: int = 1) -> list[str]:
    """Return distinct lines of code-like text."""
    random = Random(seed)
    return [f"    value_{n} = compute({random.randrange(10**9)}, {n})" for n in range(count)]


def exact(place: Place) -> list[Row | Skipped]:
    """Make 1,000 exact edits in a file of 10 MB."""
    text = lines(place.scaled(215_000))
    picked = Random(2).sample(range(len(text)), place.scaled(1000))
    source = "\n".join([*text, ""]).encode()
    edits = [{"oldText": text[n] + "\n", "newText": f"    value_{n} = None\n"} for n in picked]
    needles = [edit["oldText"].encode() for edit in edits]

    def find() -> None:
        for needle in needles:
            source.find(needle)

    name = f"{len(edits):,} edits in {len(source) / 1e6:.0f} MB"
    return compared(place, name, source, edits, base=("for n in needles: data.find(n)", find, 4.0), faster=FASTER)


def fuzzy(place: Place) -> list[Row | Skipped]:
    """Find 200 lines, and miss 5,000, in 20,000 lines that end in blanks the edit does not quote."""
    text = lines(20_000)
    source = "".join(f"{line}{' ' * (n % 3)}\n" for n, line in enumerate(text)).encode()
    hit = [{"oldText": "\n".join([*text[9000:9200], ""]), "newText": "    pass\n"}]
    miss = [{"oldText": "\n".join([*text[9000:13_999], "    nothing of the kind", ""]), "newText": "    pass\n"}]
    return [
        *compared(place, "fuzzy hit in 20,000 lines", source, hit),
        *compared(place, "5,000-line miss in 20,000", source, miss, faster=FASTER),
    ]


def overlap(place: Place) -> list[Row | Skipped]:
    """Look for 80,000 a in 160,000: everywhere, and everywhere it overlaps itself."""
    source, needle = b"a" * 160_000, "a" * 80_000
    base = ("data.find(n)", lambda: source.find(needle.encode()), None)
    return compared(
        place, "80,000 a in 160,000", source, [{"oldText": needle, "newText": "b"}], base=base, faster=FASTER
    )


def anchored(place: Place) -> list[Row | Skipped]:
    """Delete 10,000 lines of 20,000 by their first and their last; the peers are sent all of them."""
    text = [f"{line}\n" for line in lines(20_000)]
    source = "".join(text).encode()
    ends = [{"oldText": f"{text[5000]}[upto]{text[14_999]}", "newText": ""}]
    whole = [{"oldText": "".join(text[5000:15_000]), "newText": ""}]
    first, last = text[5000].encode(), text[14_999].encode()

    def cut() -> bytes:
        start = source.find(first)
        return source[:start] + source[source.find(last, start) + len(last) :]

    base = ("two finds and a slice", cut, None)
    return compared(place, "anchored delete of 10,000 lines", source, ends, base=base, mode="anchored", theirs=whole)


ROWS = {"exact": exact, "fuzzy": fuzzy, "overlap": overlap, "anchored": anchored}
