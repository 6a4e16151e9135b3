"""The line of an edit in a batch file's text."""

import pytest

from gitedit.edits.where import Lines

EDIT = '{"oldText": "a\\"}", "newText": "[{"}'


@pytest.mark.parametrize("text", ["", "nonsense", "}", ']"', '{"a', "1, 2", '["edits": {'])
def test_it_is_the_first_line_when_the_text_is_no_batch(text):
    assert Lines(text).at(0, 0) == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f'{{"path": "a", "edits": [{EDIT},\n\n{EDIT}]}}', [(0, 0, 1), (0, 1, 3), (0, None, 1)]),
        (f'[\n{{"path": "a", "edits": [\n{EDIT}]}},\n{{"edits": [{EDIT}]}}]', [(0, 0, 3), (1, 0, 4), (1, None, 4)]),
        (f'{{"mode": {{"x": [{{}}]}}, "files": [\n{{"edits":\n[{EDIT}]}}]}}', [(0, 0, 3), (0, None, 2)]),
        ('\n\n{"path": "a", "oldText": "x", "newText": "y"}', [(0, 0, 3), (0, None, 3), (7, 7, 3)]),
        ('{"path": "a", "edits": "a string"}\n', [(0, 5, 1)]),
    ],
)
def test_line_is_found_in_every_shape(text, lines):
    found = Lines(text)
    assert [(file, edit, found.at(file, edit)) for file, edit, _ in lines] == lines
