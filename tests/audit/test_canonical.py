"""The quick reader agrees with the reader on every message, or has nothing to say."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.audit.canonical import canonical
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit
from gitedit.record.compose import make_record
from gitedit.record.digests import sha256_hex
from gitedit.record.message import default_text, record_lines, render
from gitedit.record.model import ChangedFile
from gitedit.record.read import read_message


def made(count=1, files=1, **who):
    changed = []
    for number in range(files):
        old = b"".join(b"line %d\n" % n for n in range(3 * count + 3))
        pairs = tuple(Edit(f"line {3 * n}\n", f"new {n}\n") for n in range(count))
        revision = apply_edits(old, pairs)
        oids = ("1" * 40, f"{number + 2:040x}")
        facts = (f"src/{number}.py", "100644", "100644", *oids, old, revision.content, revision.regions)
        changed.append(ChangedFile(*facts))
    record = make_record(changed, mode="strict", batch_digest="0" * 64, tool="gitedit/0", **who)
    return record, default_text(changed)


def agrees(text):
    """Hold the quick reader against the reader; return whether it had something to say."""
    quick = canonical(text)
    if quick is None:
        return False
    reading = read_message(text)
    [found] = reading.records
    assert found.record == quick
    assert (found.position, found.malformed, found.unsupported, found.lost) == ("trailer", None, None, 0)
    assert (reading.quotations, reading.strays, reading.nul) == ((), (), False)
    return True


def test_canonical_reads_what_apply_writes():
    for count, files, who in ((1, 1, {}), (5, 3, {"agent": "Claude:opus", "session": "s 1"}), (20, 1, {})):
        record, text = made(count, files, **who)
        assert agrees(render(text, record))
        assert agrees(render("subject\n\nbody\n\nChange-Id: I1\nSigned-off-by: T <t@x>\n", record, assisted_by="A:b"))


def test_canonical_is_silent_when_there_is_no_record():
    for text in ("", "\n", "subject\n", "subject\n\nGitedit-Record: v1 \n", "\nGitedit-Record: v1 x\n", "a\n\nb: c\n"):
        assert canonical(text) is None


PIECES = [
    "\n",
    "\n\n",
    " ",
    "\t",
    "\r\n",
    "#",
    "\n# x\n",
    "0",
    "id=",
    "Gitedit-Edit: ",
    "gitedit-file:",
    "\n---\n",
    "> ",
    "```\n",
    "x",
]


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_canonical_agrees_with_the_reader_when_a_message_is_altered(data):
    record, text = made(2, 2, agent="A:b")
    message = render(data.draw(st.sampled_from([text, "s\n", "s\n\nKey: v\n"])), record, assisted_by="A:b")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(message)))
        cut = data.draw(st.integers(0, 3))
        message = message[:at] + data.draw(st.sampled_from([*PIECES, ""])) + message[at + cut :]
    agrees(message)


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_canonical_agrees_with_the_reader_when_lines_move(random):
    record, text = made(2, 2, agent="A:b")
    lines = render(text, record, assisted_by="A:b").split("\n")
    for _ in range(random.randrange(1, 4)):
        lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
    agrees("\n".join(lines))


def test_canonical_does_not_take_an_edit_behind_another_key():
    record, text = made()
    message = re.sub("Gitedit-Edit: ", "Gitedit-File: ", render(text, record))
    assert canonical(message) is None


def test_canonical_leaves_a_record_of_nothing_to_the_reader():
    record = make_record([], mode="strict", batch_digest="0" * 64, tool="gitedit/0")
    assert record.value("lines") == sha256_hex(b"")
    for row in ("", f"Gitedit-File: {record.id} \u00e9\n", f"Gitedit-Edit: {record.id} x\n"):
        assert canonical("subject\n\n" + "\n".join([*record_lines(record), ""]) + row) is None


def test_canonical_leaves_links_and_submodules_to_the_reader():
    record, text = made()
    for mode in ("120000", "160000", "040000", "000000"):
        for modes in (("100644", mode), (mode, "100644"), (mode, mode)):
            [file] = record.files
            changed = ChangedFile(file.path, *modes, *file[3:5], b"", b"", ())
            link = make_record([changed], mode="strict", batch_digest="0" * 64, tool="gitedit/0")
            assert canonical(render(text, link)) is None
