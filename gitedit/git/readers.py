"""Everything that answers questions about one repository: children that live as long as the work does."""

from gitedit.git.attributes import AttributeReader
from gitedit.git.index import EntryCache
from gitedit.git.objects import ObjectReader
from gitedit.git.process import Git
from gitedit.git.treediff import TreeDiffer

# The trees and files that a stream comes back to.
_REMEMBERED_BYTES = 4 << 20


class Readers:
    """The long-lived readers of one repository; each child starts when it is first asked."""

    def __init__(self, git: Git, room: Git, index_file: str) -> None:
        """`git` runs at the top; `room` in the clean room."""
        reading = git.reading()
        self.objects = ObjectReader(reading, remembered=_REMEMBERED_BYTES)
        self.attributes = AttributeReader(reading)
        self.entries = EntryCache(reading, index_file)
        self.trees = TreeDiffer(room)

    def close(self) -> None:
        """End every child."""
        self.objects.close()
        self.attributes.close()
        self.trees.close()
