"""The objects of one batch and its commit: stored, verified and audited while nothing points to them yet."""

from gitedit.audit import exact
from gitedit.commands.prepare import Prepared, Task, verified
from gitedit.errors import EditError, OperationError, VerificationError
from gitedit.git import commit as commits
from gitedit.git.diffs import DiffEntry
from gitedit.git.objects import GitObject, Storing, object_id
from gitedit.git.writers import ObjectWriters, Stored, standing
from gitedit.publish import verify


class Making:
    """What git stores for one batch, under way."""

    def __init__(
        self, task: Task, prepared: Prepared, idents: commits.Idents, writers: ObjectWriters | None, *, hooked: bool
    ) -> None:
        """Have git begin to store.

        Args:
            task: what is asked for.
            prepared: the objects and the message.
            idents: who made the commit before.
            writers: the session's; None: one child, for these objects alone.
            hooked: hooks have a say in the message, so there is no commit object yet.
        """
        self.prepared = prepared
        self._task = task
        self._idents = idents
        self._hooked = hooked
        self._sign = commits.signs(task.configuration, asked=task.settings.sign)
        objects = list(prepared.draft.objects)
        self._commit = None if hooked else self._composed()
        if self._commit is not None:
            objects.append(self._commit)
        git, algorithm = task.space.git, task.repository.algorithm
        self._storing: Stored = (
            Storing(git, objects, algorithm)
            if writers is None
            else writers.begin(git, objects, algorithm, key=(task.configuration, standing(task.repository.objects_dir)))
        )

    def stored(self) -> str | None:
        """Wait for the objects, verify them; return the commit's id, where there is one and no hook has a say in it."""
        self._storing.wait()
        self.prepared = verified(self._task, self.prepared)
        if self.prepared.record is None or self._hooked:
            return None
        commit = self.commit(self.prepared.message)
        # Not before git has shown what it has stored: the next commit begins with these.
        for one in self.prepared.draft.objects:
            self._task.readers.objects.remember(object_id(*one, self._task.repository.algorithm), one)
        return commit

    def commit(self, message: str) -> str:
        """Return the id of the finished commit object, audited as anybody later can; nothing points to it yet."""
        task, record = self._task, self.prepared.record
        parent, tree = task.repository.head, self.prepared.draft.tree
        if parent is None or record is None or tree is None:
            raise EditError("internal", "a commit without a parent, a tree or a record")
        if self._commit is None:
            oid = commits.make(task.space.git, tree, parent, message, sign=self._sign)
        else:
            oid = object_id(*self._commit, task.repository.algorithm)
        body = task.readers.objects.need(oid, "commit")
        verify.read_back(body, tree, parent, message)
        problem = self._contradiction()
        if problem is not None:
            message = f"the finished commit does not pass its audit: {problem}"
            raise VerificationError("verification-failed", message, "nothing was published; please report this")
        self._idents.learn(task.space.git, task.configuration, body)
        return oid

    def close(self) -> None:
        """End git's child, if it is still there."""
        self._storing.close()

    def _composed(self) -> GitObject | None:
        """Return the commit object, if it can be known without asking git who commits; what is signed can't."""
        task, parent, tree = self._task, self._task.repository.head, self.prepared.draft.tree
        if self._sign or self.prepared.record is None or parent is None or tree is None:
            return None
        body = self._idents.body(task.space.git, task.configuration, tree, parent, self.prepared.message)
        return None if body is None else GitObject("commit", body)

    def _contradiction(self) -> str | None:
        """Return how the stored blobs contradict the record, or None.

        Git was asked for every H in this run already; for every N it is asked now, and reads ahead meanwhile.
        """
        record, changes = self.prepared.record, self.prepared.draft.changes
        entries = [DiffEntry(one.old_mode, one.new_mode, one.old_oid, one.new_oid, one.path) for one in changes]
        if record is None:
            return "there is no record"
        known = {one.old_oid: one.old for one in changes}
        blobs = self._task.readers.objects.stream([file.new_oid for file in record.files if file.new_oid not in known])

        def following(oid: str) -> bytes:
            if oid in known:
                return known[oid]
            found = next(blobs, None)
            if found is None or found.kind != "blob":
                raise OperationError("git-failed", f"the repository has no blob {oid}", "run `git fsck`")
            return found.body

        try:
            return exact.exact(record, entries, following)
        finally:
            for _ in blobs:  # what is left of the answers, which nobody else must take for theirs
                pass
