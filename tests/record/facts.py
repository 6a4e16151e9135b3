"""Facts to make records from: fixed ones for tables, and hypothesis strategies for the rest."""

import hashlib
import textwrap

from hypothesis import strategies as st

from gitedit.edits.model import Region
from gitedit.record.compose import make_record
from gitedit.record.grammar import RECORD_KEY, line_tokens
from gitedit.record.model import ChangedFile, Record

BATCH = "b" * 64
AGENT = "Claude:claude-opus-4"
SIGNER = "T <t@example.invalid>"


def blob_id(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def changed(path, *pieces, mode="100644", new_mode=None):
    """Build a changed file from pieces: bytes are kept, (old, new) pairs are regions."""
    old = new = b""
    regions = []
    for piece in pieces:
        before, after = (piece, piece) if isinstance(piece, bytes) else piece
        if before != after:
            regions.append(Region(len(old), len(old) + len(before), len(new), len(new) + len(after), "exact"))
        old, new = old + before, new + after
    return ChangedFile(path, mode, new_mode or mode, blob_id(old), blob_id(new), old, new, tuple(regions))


def record_of(*files, **extra) -> Record:
    given = {"mode": "strict", "batch_digest": BATCH, "tool": "gitedit/0.1.0", "agent": AGENT} | extra
    return make_record(files or (A,), **given)


A = changed("src/a.py", b"one\ntwo\n", (b"three\n", b"drei\nvier\n"), b"five\n", (b"  six", b"\tsechs"), b"\n")
B = changed("src/b.py", (b"x = 1", b"x = 2"), b"\n")

paths = st.one_of(
    st.binary(min_size=1, max_size=12).filter(lambda raw: b"\0" not in raw),
    st.sampled_from([b"a b", b"a\nGitedit-Record: v1", b"\xff\xfe", b"100%", b"src/\xc3\xa9.py", b"a:b", b"* x"]),
).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
pairs = st.tuples(st.binary(max_size=6), st.binary(max_size=6)).filter(lambda pair: pair[0] != pair[1])
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cf"]), min_size=1, max_size=20)
values = words.filter(str.strip)


@st.composite
def changed_files(draw):
    pieces = [draw(st.binary(max_size=4))]
    for pair in draw(st.lists(pairs, min_size=1, max_size=4)):
        pieces += [pair, draw(st.binary(min_size=1, max_size=4))]
    return changed(draw(paths), *pieces)


@st.composite
def records(draw):
    files = draw(st.lists(changed_files(), min_size=1, max_size=3, unique_by=lambda file: file.path))
    agent, session = draw(st.none() | values), draw(st.none() | values)
    return record_of(*files, agent=agent, session=session)


def logical_lines(record):
    """The record's lines, each unfolded."""
    rows = [f"{RECORD_KEY} {' '.join(record.tokens)} id={record.id}"]
    return rows + [f"{key} {record.id} {' '.join(tokens)}" for key, tokens in line_tokens(record.files)]


def wrapped(line, width, indent=" "):
    return textwrap.fill(
        line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent, expand_tabs=False
    )
