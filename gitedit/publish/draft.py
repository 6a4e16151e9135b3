"""The commit as values: new blobs and new trees, all still invisible. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitedit.git.objects import GitObject, object_id
from gitedit.git.trees import TreeEntry, TreeReader
from gitedit.publish.plan import FilePlan
from gitedit.record.model import ChangedFile


class Draft(NamedTuple):
    """What a commit, or an index, is to hold."""

    tree: str | None
    """Id of HEAD's tree with every N in it; None: no commit is wanted."""
    changes: tuple[ChangedFile, ...]
    """HEAD -> tree, in raw byte order of the path."""
    restaged: Mapping[str, str]
    """Path -> blob id of E(I)."""
    objects: Sequence[GitObject]
    """All that must be stored for it."""


def make(plans: Sequence[FilePlan], head_tree: TreeReader | None, algorithm: str) -> Draft:
    """Return the draft of these plans; `head_tree` is None where no commit is wanted."""
    blobs: dict[str, bytes] = {}
    restaged: dict[str, str] = {}
    entries: dict[str, TreeEntry] = {}
    changes: list[ChangedFile] = []
    for plan in plans:
        head, staged = plan.snapshot.head, plan.snapshot.staged
        new_oid = ""
        if head is not None and plan.committed is not None:
            new_oid = object_id("blob", plan.committed.content, algorithm)
            blobs[new_oid] = plan.committed.content
            entries[plan.path] = TreeEntry(head.mode, new_oid)
            old, new = head.content, plan.committed.content
            regions = plan.committed.regions
            changes.append(ChangedFile(plan.path, head.mode, head.mode, head.oid, new_oid, old, new, regions))
        if staged is not None and plan.staged is not None:
            if plan.staged is not plan.committed:
                new_oid = object_id("blob", plan.staged.content, algorithm)
                blobs[new_oid] = plan.staged.content
            restaged[plan.path] = new_oid
    tree, trees = (None, []) if head_tree is None else head_tree.with_blobs(entries)
    needed = [GitObject("blob", content) for content in blobs.values()] + trees
    changes.sort(key=lambda change: change.path.encode("utf-8", "surrogateescape"))
    return Draft(tree, tuple(changes), restaged, needed)
