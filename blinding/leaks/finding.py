"""One thing that a leak scan found. No Django here."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file that playing it does not need: where, what it says, and why it is a leak ("" when it names
    nothing)."""

    place: str
    value: str
    reason: str

    @property
    def flagged(self) -> bool:
        """Whether it names an encoder, tool, vendor, person, place or time."""
        return bool(self.reason)

    def as_json(self) -> dict[str, str | bool]:
        """Return the finding as a JSON object."""
        return asdict(self) | {"flagged": self.flagged}
