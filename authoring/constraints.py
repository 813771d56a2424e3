"""The claims that a set of scenarios makes, as data. No Django here."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from authoring.rules import ONE_VALUE, RULES, VALUES
from fartbench.protocol.parts import Key, Part, Text, repeated
from fartbench.protocol.rollouts.schema import Scenario, Update

Value = str | bool | int | float
Source = Literal["published", "published_code", "derived", "ours"]


def _fields(model: type[BaseModel], before: str = "") -> set[str]:
    names = set()
    for name, field in model.model_fields.items():
        inner = field.annotation
        names |= {f"{before}{name}"}
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            names |= _fields(inner, f"{before}{name}.")
    return names


FIELDS = {"scenarios": _fields(Scenario), "updates": _fields(Scenario) | _fields(Update)}
"""What claims can be about, by dotted names; an update has its scenario's fields too."""


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

    @model_validator(mode="after")
    def _every_field_is_known(self) -> Self:
        for name in (getattr(self, "field", None), self.per, *self.where):
            if name is not None and name not in FIELDS[self.of]:
                raise ValueError(f"{self.of} have no field {name!r}")
        return self


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

    @model_validator(mode="after")
    def _both_fields_are_known(self) -> Self:
        if unknown := [name for name in (self.field, self.per) if name not in FIELDS["scenarios"]]:
            raise ValueError(f"scenarios have no field {unknown[0]!r}")
        return self


class Every(_Counting):
    """``field`` is one of ``among`` for every item.

    Holds for a single scenario, so also for a part of a set.
    """

    kind: Literal["every"]
    field: Text
    among: tuple[Value | tuple[Value, ...], ...] = Field(min_length=1)


class Rule(_Claim):
    """A rule with a name in ``authoring.rules``, and its values."""

    kind: Literal["rule"]
    rule: Text
    values: dict[Text, tuple[Value, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _the_rule_is_known_with_its_values(self) -> Self:
        if self.rule not in RULES:
            raise ValueError(f"there is no rule {self.rule!r}; rules are {', '.join(RULES)}")
        wanted = VALUES.get(self.rule, {})
        if self.values.keys() != wanted.keys():
            raise ValueError(f"the values of {self.rule} are {', '.join(wanted) or 'none'}")
        for name, kind in wanted.items():
            if odd := [
                one
                for one in self.values[name]
                if isinstance(one, bool) or not isinstance(one, kind)
            ]:
                raise ValueError(f"values.{name}: {odd[0]!r} is not allowed there")
        if self.rule in ONE_VALUE and any(len(values) != 1 for values in self.values.values()):
            raise ValueError(f"{self.rule} takes one value")
        if self.rule == "schedule" and len(self.values["ids"]) != len(self.values["at_s"]):
            raise ValueError("there are as many times as names of updates")
        return self


Claim = Annotated[Total | Distinct | Counts | Once | Every | Rule, Field(discriminator="kind")]


class Constraints(Part):
    """``constraints.yaml``: where the claims were published, and the claims."""

    source: Text
    not_published: tuple[Text, ...] = ()
    claims: tuple[Claim, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_claim_has_a_name_of_its_own(self) -> Self:
        if twice := repeated(claim.id for claim in self.claims):
            raise ValueError(f"claim {twice[0]!r} appears twice")
        return self

    def claim(self, key: str) -> Claim:
        """Return the claim of this id. Raises KeyError when there is none."""
        for claim in self.claims:
            if claim.id == key:
                return claim
        raise KeyError(key)
