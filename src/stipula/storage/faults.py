"""What goes wrong with a store, by name, whichever backend it is."""

from stipula.errors import EXIT_USAGE, Problem


class StorageProblem(Problem):
    """The store cannot do what was asked; what it holds is as it was."""

    code, status = "STO001", 503
    hint = "the store {place} failed: {why}"


class StorageUrlUnknown(StorageProblem):
    """The address of a store has no form that we know."""

    code, exit_code = "STO002", EXIT_USAGE
    hint = "no store at {url!r}; wanted sqlite:///file.db (relative) or sqlite:////folder/file.db (absolute)"


class StorageUnopenable(StorageProblem):
    """The file of a store can be neither opened nor made."""

    code = "STO003"
    hint = "cannot open the store {place}: {why}; check that its folder exists and may be written"


class StorageLocked(StorageProblem):
    """Somebody else holds the store longer than we wait."""

    code = "STO004"
    hint = "the store {place} is locked by another program, waited {wait_s:g} s; end that program or try again"


class StorageReadOnly(StorageProblem):
    """The store may be read and not written."""

    code = "STO005"
    hint = "the store {place} cannot be written; check the rights of the file, its folder and its disk"


class StorageFull(StorageProblem):
    """There is no room left."""

    code = "STO006"
    hint = "no room is left for the store {place}; make room on its disk"


class StorageCorrupt(StorageProblem):
    """The file of a store is damaged, or is no store."""

    code = "STO007"
    hint = "the file {place} is no store or is damaged ({why}); move it away and start anew, or restore a copy"


class StorageNewer(StorageProblem):
    """The store was written by a newer version of this program."""

    code = "STO008"
    hint = "the store {place} is of version {seen}, this program knows up to {known}; use the newer program"


class StorageUnfit(StorageProblem):
    """The database engine of this Python lacks something."""

    code = "STO009"
    hint = "the SQLite of this Python lacks {what}; use a Python that is built with it"


class StorageClosed(StorageProblem):
    """The store was asked after its end."""

    code = "STO010"
    hint = "the store {place} is closed"
