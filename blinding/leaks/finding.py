"""One thing that a leak scan found. No Django here."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file that playing it does not need: where, what it says, and why it is a leak
    ("" when it names nothing).
    """

    place: str
    value: str
    reason: str

    @property
    def flagged(self) -> bool:
        """Whether it names an encoder, tool, vendor, person, place or time."""
        return bool(self.reason)

    @property
    def may_be_chance(self) -> bool:
        """Whether it is a run of readable bytes in coded picture or sound that names nothing:
        compressed data has some by chance, so it is no reason to refuse a copy.
        """
        return self.place in {"media data", "sound packet"} and self.reason == "free text"

    def as_json(self) -> dict[str, str | bool]:
        """Return the finding as a JSON object."""
        return asdict(self) | {"flagged": self.flagged}
