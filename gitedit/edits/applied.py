"""Whether a batch was applied to a file already: what it says is there, once each, and can be taken back. Pure."""

from collections.abc import Sequence

from gitedit.edits.anchored import is_anchored
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit, Mode
from gitedit.edits.strict import MARKER
from gitedit.errors import EditError


def is_result(before: bytes, after: bytes, edits: Sequence[Edit], mode: Mode, *, exact: bool) -> bool:
    """Return whether the edits lead from `before` to exactly `after`."""
    try:
        return apply_edits(before, edits, mode=mode, exact=exact).content == after
    except EditError:
        return False


def can_be_taken_back(source: bytes, edits: Sequence[Edit], mode: Mode) -> bool:
    """Return whether every newText stands in `source` exactly once and the reverse batch applies.

    A deletion cannot be told from one that never matched, so a batch with one is never taken for applied.
    """
    if not all(edit.new_text for edit in edits):
        return False
    try:
        for edit in edits:
            apply_edits(source, [_found(edit)], exact=True)
        apply_edits(source, [_reversed(edit, mode) for edit in reversed(edits)], exact=True)
    except EditError:
        return False
    return True


def _found(edit: Edit) -> Edit:
    """Return an edit that applies where newText stands exactly once."""
    return Edit(edit.new_text, edit.new_text + "\n.", literal=True)


def _reversed(edit: Edit, mode: Mode) -> Edit:
    # What stood between head and tail of an anchored edit is not known any more; that newText stands there is.
    old = edit.old_text.replace(MARKER, "") if mode == "anchored" and is_anchored(edit) else edit.old_text
    return Edit(edit.new_text, old + "." if old == edit.new_text else old, literal=True)
