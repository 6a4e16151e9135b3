import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gitedit
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit
from gitedit.errors import EditError, MatchError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(("a", "[upto]", "a[upto]b", "\ud800")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("oldText", "newText", "old_string", "literal", "edits", "x")), inner, max_size=4
        )
    ),
    max_leaves=8,
)
CODECS = (None, None, "latin-1", "utf-16", "utf-8-sig", "utf-7", "hex", "no such", "", "a\0b", "idna", "undefined")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=20), JSON, st.sampled_from(("strict", "anchored")), st.booleans(), st.sampled_from(CODECS))
def test_apply_edits_refuses_cleanly_when_given_any_json(source, edits, mode, exact, encoding):
    try:
        apply_edits(source, edits, mode=mode, exact=exact, encoding=encoding)
    except EditError as error:
        shown = [error.message, error.hint, *(problem.message for problem in error.problems)]
        legal = error.exit_status in (3, 4) and all(text.isascii() and len(text) < 2000 for text in shown)
    else:
        legal = True
    assert legal


@pytest.mark.parametrize("edits", [[], (), None, 7, "x", {}, {"oldText": "a", "newText": "b"}])
def test_edits_are_missing_when_there_is_no_list(edits):
    with pytest.raises(EditError) as caught:
        apply_edits(b"a", edits)
    assert caught.value.code == "no-edits"


def test_invalid_edits_are_all_named_when_there_are_several():
    edits = [{"oldText": "a"}, {"oldText": "a", "newText": "b"}, 7, {"oldText": "\ud800", "newText": ""}]
    edits.append({"oldText": "a", "newText": "", "literal": 1})
    with pytest.raises(EditError) as caught:
        apply_edits(b"a", edits)
    assert caught.value.code == "invalid-edit"
    assert [problem.edit for problem in caught.value.problems] == [0, 2, 3, 4]


@pytest.mark.parametrize(
    "fields",
    [
        ("a", "b", False),
        ("a", "\u00e9", True),
        ("a", "b", None),
        ("a", "b", 1),
        (None, "b", False),
        ("a", 7, False),
        ("a\ud800", "b", False),
        ("a", "\udc80", False),
    ],
)
def test_values_are_checked_as_objects_are_when_they_hold_what_they_should_not(fields):
    def answer(edit):
        try:
            return apply_edits(b"a", [edit])
        except EditError as error:
            return error.code, error.message, error.problems

    assert answer(Edit(*fields)) == answer(dict(zip(("oldText", "newText", "literal"), fields, strict=True)))


def test_mode_is_refused_when_unknown():
    with pytest.raises(EditError) as caught:
        apply_edits(b"a", [Edit("a", "b")], mode="fuzzy")
    assert caught.value.code == "bad-batch"


def test_error_says_which_layer_refused_when_an_edit_misses():
    with pytest.raises(MatchError) as caught:
        apply_edits(b"a", [Edit("b", "c")])
    assert caught.value.problems[0].edit == 0
    assert caught.value.problems[0].path is None


def test_public_names_are_there_when_asked_for():
    assert gitedit.apply_edits is apply_edits
    assert gitedit.EditError is EditError
    with pytest.raises(AttributeError, match="no_such"):
        _ = gitedit.no_such


def test_import_stays_cheap_when_only_the_package_is_named():
    script = (
        "import sys, gitedit; early = 'json' in sys.modules or 'gitedit.errors' in sys.modules;"
        "gitedit.apply_edits(b'a b\\n', [{'oldText': 'a', 'newText': 'b'}]);"
        "print(early, sorted({'difflib', 'shutil', 'tempfile', 'unicodedata', 'dataclasses'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "False []", done.stderr
