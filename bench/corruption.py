"""How often a tool changes bytes outside the text that it was asked to replace: 4,000 single edits of nasty files.

Each case knows the span of bytes that its oldText stands for. A result that does not begin with the bytes before that
span and end with those behind it is damage; a refusal is not. What a tool is asked to do it may do in its own way: the
new text itself is not judged, and a span goes to the end of its last line.
"""

import json
from random import Random
from typing import NamedTuple

from measuring import Row, Skipped
from peers import peers
from place import Place

from gitedit.edits.engine import apply_edits
from gitedit.errors import EditError

CASES = 4000
PIECES = (
    *("plain text", "    indented(code)", "trailing blanks   ", "a tab\t", "{", "}", "", "...", "```"),
    *("\u201cquoted\u201d \u2014 dashed", "no\u00a0break", "x = 'it\u2019s'", "half\u3000width \uff21"),
    *("\ufb01ne \u00bd \u2460", "e\u0301 composed \u00e9", "na\u00efve caf\u00e9", "\U0001f600 astral"),
    *("form\x0cfeed", "vertical\x0btab", "line\u2028separator", "next\u0085line", "\ufeffnot at the start"),
)
TAILS = ("", "  ", " \u201cx\u201d", " \u2014", "\u00a0z", " \ufb01")
ASCII = str.maketrans("\u201c\u201d\u2019\u2014\u00a0\u3000", '""\'-  ')
ENDINGS = ("\n", "\r\n", "\r")


class Case(NamedTuple):
    """One edit of one file."""

    source: bytes
    old: str
    new: str
    start: int
    """Byte offset of the span."""
    end: int
    """Exclusive."""


def case(random: Random) -> Case:
    """Make a file of 5 to 40 lines and an edit of one to three of them, quoted as people and programs quote."""
    weights = random.choice([(8, 1, 0), (1, 8, 0), (3, 3, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (5, 0, 2)])
    count = random.randint(5, 40)
    texts = [f"{random.choice(PIECES)}{number if random.random() < 0.7 else ''}" for number in range(count)]
    endings = random.choices(ENDINGS, weights, k=count)
    if random.random() < 0.3:
        endings[-1] = ""
    first = random.randrange(count)
    last = min(count - 1, first + random.randrange(3))
    texts[first] = f"the place {random.randrange(10**6)}" + random.choice(TAILS)
    whole = [(text + ending).encode() for text, ending in zip(texts, endings, strict=True)]
    bom = b"\xef\xbb\xbf" if random.random() < 0.15 else b""
    start = len(bom) + sum(map(len, whole[:first]))
    end = start + sum(map(len, whole[first : last + 1]))
    old = quoted(random, texts[first : last + 1], endings[first : last + 1])
    new = "".join(f"new {number}\n" for number in range(random.randint(1, 3)))
    return Case(bom + b"".join(whole), old, new if old.endswith("\n") else new.rstrip("\n"), start, end)


def quoted(random: Random, texts: list[str], endings: list[str]) -> str:
    """Quote lines as a model does: with LF, perhaps without blanks at the end, perhaps in ASCII; or as they are."""
    way = random.randrange(4)
    if way == 0:
        return "".join(text + ending for text, ending in zip(texts, endings, strict=True))
    if way >= 2:
        texts = [text.rstrip() for text in texts]
    if way == 3:
        texts = [text.translate(ASCII) for text in texts]
    return "\n".join(texts) + random.choice(["", "\n"])


def damaged(one: Case, result: bytes) -> bool:
    """Return whether bytes outside the span changed."""
    before, behind = one.source[: one.start], one.source[one.end :]
    return not (result.startswith(before) and result.endswith(behind) and len(result) >= len(before) + len(behind))


def corruption(place: Place) -> list[Row | Skipped]:
    """Send the cases to each tool."""
    random = Random(4)
    cases = [case(random) for _ in range(place.scaled(CASES))]
    name = f"corruption in {len(cases):,} edits"
    found: list[Row | Skipped] = [told(name, "gitedit", cases, ours, limit=0)]
    found.append(told(name, "text mode, str.replace", cases, text_mode))
    for peer in peers():
        if peer.missing:
            found.append(Skipped(name, peer.name, peer.missing))
            continue

        def edit(one: Case, peer=peer) -> bytes | None:
            answer = peer.edit(one.source, [{"oldText": one.old, "newText": one.new}], timeout=30)
            return None if answer is None else answer.content

        found.append(told(name, peer.name, cases, edit))
        peer.close()
    return found


def told(name: str, tool: str, cases: list[Case], edit, limit: float | None = None) -> Row:
    """Count: the row's `ours` are the damaged files, `theirs` the edits that were made, its ratio their share."""
    made = broken = 0
    example = ""
    for one in cases:
        result = edit(one)
        made += result is not None
        if result is not None and damaged(one, result):
            broken += 1
            example = example or json.dumps([one.source.decode("latin-1"), one.old, one.new])
    share = broken / made if made else 0.0
    note = f"{len(cases) - made} refused"
    return Row(name, tool, broken, made, share, share, share, limit=limit, note=note, unit="files")


def ours(one: Case) -> bytes | None:
    try:
        return apply_edits(one.source, [{"oldText": one.old, "newText": one.new}]).content
    except EditError:
        return None


def text_mode(one: Case) -> bytes | None:
    """Do what a script does: open(path).read().replace(old, new), with universal newlines."""
    text = one.source.decode().replace("\r\n", "\n").replace("\r", "\n")
    return text.replace(one.old, one.new).encode() if text.count(one.old) == 1 else None


ROWS = {"corruption": corruption}
