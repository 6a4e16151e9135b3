"""The engine's one entry: `(source, edits, mode) -> revision`, or one error."""

from collections.abc import Sequence
from typing import Any

from gitedit.edits import anchored, strict
from gitedit.edits.batch import MODES, parse_edits
from gitedit.edits.encoding import check_utf8, from_utf8, to_utf8
from gitedit.edits.model import Edit, Mode, Revision
from gitedit.errors import BatchError


def apply_edits(
    source: bytes,
    edits: Sequence[Edit] | Sequence[dict[str, Any]],
    *,
    mode: Mode = "strict",
    exact: bool = False,
    encoding: str | None = None,
) -> Revision:
    """Apply `edits`, as values or as JSON objects, to `source`.

    `exact` forgoes the tolerant strategies; `encoding` names the codec of a file that is not UTF-8.
    """
    if mode not in MODES:
        raise BatchError("bad-batch", 'mode is neither "strict" nor "anchored"')
    parsed = parse_edits(edits)
    if encoding is None:
        check_utf8(source, parsed)
        return _revised(source, parsed, mode, exact=exact)
    utf8 = to_utf8(source, parsed, encoding)
    return from_utf8(source, utf8, _revised(utf8, parsed, mode, exact=exact), encoding)


def _revised(source: bytes, edits: Sequence[Edit], mode: Mode, *, exact: bool) -> Revision:
    # Without an anchored edit there is nothing to refer to the original for.
    if mode == "anchored" and any(map(anchored.is_anchored, edits)):
        return anchored.revise(source, edits)
    return strict.revise(source, edits, exact=exact)
