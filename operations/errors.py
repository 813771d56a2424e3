"""What keeping an installation whole refuses: backups, restores, and checks of data and trail."""

from fartbench.errors import BadInput, Refusal


class TrailBroken(BadInput):
    """An audit trail with entries removed or changed, or that tells something else than the rows;
    each is named.
    """


class BackupRefused(BadInput):
    """A folder that is no backup, or a backup that is not whole; each part that is wrong is
    named.
    """

    def __init__(self, folder: object, faults: list[str]) -> None:
        super().__init__(f"The backup in {folder} cannot be used", faults)


class BackupIncomplete(Refusal):
    """A backup that holds all that was there, while storage lacked some; each file is named."""

    def __init__(self, missing: list[str]) -> None:
        lines = "\n".join(f"  {file}" for file in missing)
        super().__init__(
            f"The backup holds all that was there, but storage lacks what rows name:\n{lines}"
        )


class InstallationInUse(Refusal):
    """A restore into an installation that has rows of its own; nothing was changed."""


class DataFaulty(Refusal):
    """Rows or files of this installation that are not what they were; each is named."""

    def __init__(self, faults: list[str]) -> None:
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"This installation is not what it was:\n{lines}")


class WorkerSilent(Refusal):
    """No worker of this machine was seen lately."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"No worker of {host} was seen within two minutes: it hangs, or the broker or the "
            "database does not answer. Look at its log."
        )
