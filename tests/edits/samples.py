"""Drawn sources and edits, and the engine's answer in a form that can be compared."""

from hypothesis import strategies as st

from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit
from gitedit.errors import EditError

# Few characters, and those that the rules speak of, so that texts collide often.
CHARS = "ab x\t\n\r\u00a0\ufeff\u2018'\\n\u00e9\x85\u2028"
WORDS = (
    *("alpha", "beta b", "  gamma", "delta\t", "\u201cq\u201d", '"q"', "x\\ty", "x\ty", "\\", "caf\u00e9"),
    *("\n", "\r\n", "\n\n"),
)
DRIFT = (("\r\n", "\n"), ("\n", "\r\n"), ("  ", " "), ("\u201c", '"'), ("\t", "\\t"), ("\n", "\\n"))


def texts(size=12):
    piece = st.sampled_from(WORDS) | st.text(CHARS, max_size=3)
    return st.lists(piece, max_size=size).map("".join)


@st.composite
def cases(draw, most=4):
    """Draw a source and pairs whose old text is mostly a distorted part of it."""
    text = draw(texts(20))
    source = text.encode() + draw(st.sampled_from((b"", b"", b"\n", b"\xff", b"\r\n")))
    pairs = []
    for _ in range(draw(st.integers(1, most))):
        low, high = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        old = text[low:high]
        for before, after in DRIFT:
            if draw(st.integers(0, 5)) == 0:
                old = old.replace(before, after)
        old = draw(st.sampled_from((old, old, old, " " + old, old + " ", old.strip(), draw(texts(3)))))
        pairs.append((old, draw(texts(3))))
    return source, pairs


def anchored(pairs):
    """Return edits, every other one with the middle of its oldText replaced by the marker."""
    return [
        Edit(old if index % 2 or len(old) < 2 else f"{old[: len(old) // 3]}[upto]{old[len(old) // 2 :]}", new)
        for index, (old, new) in enumerate(pairs)
    ]


def attempt(source, edits, **options):
    """Return the revision, or the refusal."""
    try:
        return apply_edits(source, [e if isinstance(e, Edit) else Edit(*e) for e in edits], **options)
    except EditError as error:
        return error


def answer(source, edits, **options):
    """Return content and outcomes, or the code of the refusal."""
    result = attempt(source, edits, **options)
    return result.code if isinstance(result, EditError) else (result.content, [tuple(o) for o in result.edits])
