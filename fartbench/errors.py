"""The base of everything the product refuses to do. No Django here."""


class Refusal(Exception):
    """A request that is understood and declined.

    The message is shown unchanged to the person who asked: it names what is wrong (file, row,
    field, rule) and what to do about it. Commands end with status 1 on a refusal; pages show it and
    change nothing.
    """


MOST_SHOWN = (
    40  # faults of one input, in its message: nobody reads more, and a hostile file has a million
)


class BadInput(Refusal):
    """An input with one or more faults, the first of them named; ``outcome`` says what was done."""

    def __init__(self, what: str, faults: list[str], outcome: str = "nothing was changed") -> None:
        self.what = what
        self.faults = faults
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        if len(faults) > MOST_SHOWN:
            more = [f"… and {len(faults) - MOST_SHOWN} more"]
        else:
            more = []
        lines = "\n".join(f"  {fault}" for fault in (*faults[:MOST_SHOWN], *more))
        super().__init__(f"{what}: {count}, {outcome}.\n{lines}")
