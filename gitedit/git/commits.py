"""A stored commit, taken apart: tree, parents, author, date, message, and whether it carries a signature.

As git reads it: the `encoding` header says how names and message are decoded, and what does not decode stays as it is.
"""

import codecs
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

_NOT_TEXT = frozenset(
    {"idna", "mbcs", "oem", "palmos", "punycode", "raw-unicode-escape", "raw_unicode_escape", "undefined"}
    | {"unicode-escape", "unicode_escape", "unicode_internal"}
)
"""Python's own codecs: iconv knows none of them, so git shows the bytes."""
_EPOCH = "1970-01-01T00:00:00+00:00"


class Commit(NamedTuple):
    """One commit. Text that is not in the encoding it names is UTF-8 with surrogate escapes."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    """As stored: also where they were cut off, grafted or replaced. Only those that git takes for parents."""
    author_name: str
    author_email: str
    date: str
    """The author's, ISO 8601 with offset; 1970 where git cannot read it either."""
    signed: bool
    message: str

    @property
    def subject(self) -> str:
        """The first paragraph on one line, as `%s`."""
        text = self.message.lstrip("\r\n \t")
        paragraph: list[str] = []
        at = 0
        # Line by line: of a message of nothing but newlines, a list of all lines takes ten times the memory.
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end].strip(" \t\r")
            if not line:
                break
            paragraph.append(line)
            at = end + 1
        return " ".join(paragraph)


def parse_commit(oid: str, body: bytes) -> Commit:
    """Take a commit object apart; nothing in it is trusted to be there."""
    head, _, message = body.partition(b"\n\n")
    if b"\0" in head:
        # Git sees neither what follows it nor the message; a NUL in that is what tells.
        message = b"\0" + message
    tree, parents, author, encoding, signed = "", [], b"", b"", False
    linked = True
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        # To git, a parent behind any other header is no parent; `git fsck` lets it pass.
        linked = linked and key in (b"tree", b"parent")
        if key == b"parent":
            parents += [_id(value)] if linked else []
        elif key == b"tree" and not tree:
            tree = _id(value)
        elif key == b"author" and not author:
            author = value
        elif key == b"encoding" and not encoding:
            encoding = value
        elif key in (b"gpgsig", b"gpgsig-sha256"):
            signed = True
    name, email, date = _ident(author)
    return Commit(
        oid,
        tree,
        tuple(parents),
        decoded(name, encoding),
        decoded(email, encoding),
        date,
        signed,
        decoded(message, encoding),
    )


def _id(value: bytes) -> str:
    """Return an object id as git prints it: it reads upper-case digits, too."""
    return value.decode("ascii", "replace").lower()


def has_encoding(body: bytes) -> bool:
    """Return whether a commit object names an encoding: then its bytes need not look like its text."""
    return b"\nencoding " in body


def decoded(text: bytes, encoding: bytes) -> str:
    """Decode `text`; where the encoding is unknown or does not fit, as UTF-8 with surrogate escapes."""
    if encoding:
        try:
            codec = codecs.lookup(encoding.decode("ascii"))
            if codec.name not in _NOT_TEXT:
                return text.decode(codec.name)
        except (LookupError, ValueError):
            pass
    return text.decode("utf-8", "surrogateescape")


def _ident(line: bytes) -> tuple[bytes, bytes, str]:
    """Return name, e-mail and date of an author line, as git's split_ident_line() finds them."""
    who, _, when = line.rpartition(b">")
    name, _, email = who.partition(b"<")
    words = when.split()
    return name.strip(), email.strip(), _iso(*words[:2]) if len(words) > 1 else _EPOCH


def _iso(seconds: bytes, offset: bytes) -> str:
    if not seconds.isdigit() or len(offset) != 5 or not offset[1:].isdigit():
        return _EPOCH
    minutes = int(offset[1:3]) * 60 + int(offset[3:])
    try:
        zone = timezone(timedelta(minutes=-minutes if offset[:1] == b"-" else minutes))
        # int() of a long string is quadratic, and refuses 4,300 digits.
        return datetime.fromtimestamp(int(seconds[:20]), zone).isoformat()
    except (ValueError, OverflowError, OSError):
        return _EPOCH
