"""Whether a batch was applied already."""

import pytest

from gitedit.edits.applied import can_be_taken_back, is_result
from gitedit.edits.model import Edit


@pytest.mark.parametrize(
    ("source", "edits", "mode", "answer"),
    [
        (b"new\n", [Edit("old", "new")], "strict", True),
        (b"new\r\nnext\r\n", [Edit("old", "new\nnext")], "strict", True),
        (b"old\n", [Edit("old", "new")], "strict", False),
        (b"new new\n", [Edit("old", "new")], "strict", False),
        (b"new\n", [Edit("old", "new"), Edit("gone", "")], "strict", False),
        (b"one two\n", [Edit("1", "one"), Edit("2", "two")], "strict", True),
        (b"one 2\n", [Edit("1", "one"), Edit("2", "two")], "strict", False),
        (b"same\n", [Edit("same", "same")], "strict", True),
        (b"new\n", [Edit("head[upto]tail", "new")], "anchored", True),
        (b"a[upto]b\n", [Edit("old", "a[upto]b")], "anchored", True),
        ("größe\n".encode(), [Edit("breite", "größe")], "strict", True),
        (b"\xff\n", [Edit("old", "new")], "strict", False),
    ],
)
def test_batch_can_be_taken_back(source, edits, mode, answer):
    assert can_be_taken_back(source, edits, mode) is answer


def test_edits_lead_from_one_version_to_another():
    assert is_result(b"old\n", b"new\n", [Edit("old", "new")], "strict", exact=False)
    assert not is_result(b"old\n", b"newer\n", [Edit("old", "new")], "strict", exact=False)
    assert not is_result(b"none\n", b"new\n", [Edit("old", "new")], "strict", exact=False)
