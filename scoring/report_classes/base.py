"""The reports of a round as classes, each written once. No Django here.

`scoring.reports` makes them, `Report.document` writes their JSON, and `Report.model_validate`
reads it back and refuses what no class knows. Fields are in the order of the JSON. A field with
a default is missing where it says nothing, or in releases of an older format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

from pydantic import Field

from fartbench.protocol.parts import Part

PartT = TypeVar("PartT", bound=Part)


class Report(Part):
    """What every report has: its label in the protocol, which is written above it."""

    label: str = ""

    def document(self) -> dict[str, Any]:
        """Return the report as JSON, with the fields that it was made from."""
        return self.model_dump(exclude_unset=True)


class ReportedEstimate(Part):
    """An estimate as reports write it: numbers have ten digits; what is undefined has no value and
    a note that says why (`scoring.reports.shape`).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    note: str

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """Read the JSON of an estimate, which may have more beside it."""
        return cls.model_validate({name: document[name] for name in cls.model_fields})


class Everywhere(Part, Generic[PartT]):
    """The same figures over all cells, in each scene, and of each configuration."""

    overall: PartT
    by_scene: dict[str, PartT]
    by_configuration: dict[str, PartT] = Field(default_factory=dict)
