"""Files that are not UTF-8: their bytes pass through untouched, and new text that needs a codec needs its name.

With a codec named, the engine works on the file as UTF-8; the result must come back byte-exact, or not at all.
"""

import codecs
import itertools
from collections.abc import Iterable, Sequence

from gitedit.edits.model import Edit, Region, Revision
from gitedit.edits.refusal import Failure, refusals
from gitedit.errors import MatchError


def check_utf8(source: bytes, edits: Sequence[Edit]) -> None:
    """Refuse new text beyond ASCII for a file that is not UTF-8."""
    affected = [index for index, edit in enumerate(edits) if not edit.new_text.isascii()]
    if not affected:
        return
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"byte 0x{source[error.start]:02x} at offset {error.start}"
        message = f"newText is not ASCII, and the file is not UTF-8 ({where})"
        failure = Failure("encoding", message, "name the file's encoding (--encoding NAME), or write ASCII")
        raise refusals([(index, failure) for index in affected], len(edits)) from None


def to_utf8(source: bytes, edits: Sequence[Edit], name: str) -> bytes:
    """Return `source`, which is in codec `name`, as UTF-8."""
    try:
        # bytes.decode also refuses codecs that are not text encodings, as `hex`.
        text = source.decode(name)
        same = text.encode(name) == source
        utf8 = text.encode("utf-8")
        codecs.getincrementalencoder(name)
    except (LookupError, ValueError) as error:
        known = isinstance(error, UnicodeError)
        message = f"the file is not valid in {name[:40]!a}" if known else f"unknown encoding {name[:40]!a}"
        if isinstance(error, UnicodeDecodeError):
            message += f" (offset {error.start})"
        raise MatchError("encoding", message) from None
    if not same:
        raise MatchError("encoding", f"the file does not survive decoding and encoding in {name}")
    failures = [(index, failure) for index, edit in enumerate(edits) if (failure := _unwritable(edit, name))]
    if failures:
        raise refusals(failures, len(edits))
    return utf8


def _unwritable(edit: Edit, name: str) -> Failure | None:
    try:
        edit.new_text.encode(name)
    except UnicodeEncodeError as error:
        return Failure(
            "encoding", f"newText holds U+{ord(error.object[error.start]):04X}, which {name} has no bytes for"
        )
    except ValueError:
        return Failure("encoding", f"newText cannot be written in {name}")
    return None


def from_utf8(source: bytes, utf8: bytes, revision: Revision, name: str) -> Revision:
    """Return `revision`, made of `utf8`, in the codec and the byte offsets of `source`."""
    old = _encoded(_chunks(utf8, [(r.old_start, r.old_end) for r in revision.regions]), name)
    new = _encoded(_chunks(revision.content, [(r.new_start, r.new_end) for r in revision.regions]), name)
    content = b"".join(new)
    # A codec with a state may write the same characters as other bytes after a change.
    same = b"".join(old) == source and old[::2] == new[::2]
    if not same or content.decode(name) != revision.content.decode("utf-8"):
        raise MatchError("encoding", f"{name} would write unchanged text as other bytes")
    regions: list[Region] = []
    at = [0, 0]
    for index, region in enumerate(revision.regions):
        starts = [at[0] + len(old[2 * index]), at[1] + len(new[2 * index])]
        at = [starts[0] + len(old[2 * index + 1]), starts[1] + len(new[2 * index + 1])]
        regions.append(Region(starts[0], at[0], starts[1], at[1], region.strategy))
    return Revision(content, revision.edits, tuple(regions), revision.warnings)


def _chunks(utf8: bytes, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return `utf8` cut at the edges of `spans`: kept, changed, kept, ..., kept."""
    edges = [0, *(edge for span in spans for edge in span), len(utf8)]
    return [utf8[start:end].decode("utf-8") for start, end in itertools.pairwise(edges)]


def _encoded(chunks: Sequence[str], name: str) -> list[bytes]:
    encoder = codecs.getincrementalencoder(name)()
    # Encoding nothing yields the BOM of a codec that writes one, which is then part of the first kept chunk.
    mark = encoder.encode("")
    last = len(chunks) - 1
    encoded = [encoder.encode(chunk, final=index == last) for index, chunk in enumerate(chunks)]
    return [mark + encoded[0], *encoded[1:]]
