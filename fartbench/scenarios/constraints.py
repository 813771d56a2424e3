"""The claims that a set of scenarios makes, as data. No Django here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fartbench.protocol.parts import Key, Part, Text

Value = str | bool | int | float
Source = Literal["published", "published_code", "derived", "ours"]


class _Claim(Part):
    """One countable sentence. ``warn_only`` claims are reported and refuse nothing."""

    id: Key
    text: Text
    source: Source
    warn_only: bool = False


class _Counting(_Claim):
    of: Literal["scenarios", "updates"] = "scenarios"
    where: dict[Text, tuple[Value, ...]] = Field(default_factory=dict)
    per: Text | None = None


class Total(_Counting):
    """There are ``equals`` items, in each value of ``per`` where one is named."""

    kind: Literal["total"]
    equals: int = Field(ge=0)


class Distinct(_Counting):
    """``field`` takes ``equals`` different values."""

    kind: Literal["distinct"]
    field: Text
    equals: int = Field(ge=0)


class Counts(_Counting):
    """How often each value of ``field`` occurs; no other value may."""

    kind: Literal["counts"]
    field: Text
    equals: dict[str, int]


class Once(_Claim):
    """Each value of ``field`` occurs exactly once with each value of ``per``."""

    kind: Literal["once"]
    field: Text
    per: Text
    values: tuple[Text, ...] = Field(min_length=1)


class Every(_Counting):
    """``field`` is one of ``among`` for every item. Holds for a single scenario, so also for a part of a set."""

    kind: Literal["every"]
    field: Text
    among: tuple[Value | tuple[Value, ...], ...] = Field(min_length=1)


class Rule(_Claim):
    """A rule with a name in ``fartbench.scenarios.rules``, and its values."""

    kind: Literal["rule"]
    rule: Text
    values: dict[Text, tuple[Value, ...]] = Field(default_factory=dict)


Claim = Annotated[Total | Distinct | Counts | Once | Every | Rule, Field(discriminator="kind")]


class Constraints(Part):
    """``constraints.yaml``: where the claims were published, and the claims."""

    source: Text
    not_published: tuple[Text, ...] = ()
    claims: tuple[Claim, ...] = Field(min_length=1)

    def claim(self, key: str) -> Claim:
        """Return the claim of this id. Raises KeyError when there is none."""
        for claim in self.claims:
            if claim.id == key:
                return claim
        raise KeyError(key)
