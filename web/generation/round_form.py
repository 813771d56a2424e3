"""The form that makes a round. What a protocol does not have is not asked."""

from __future__ import annotations

from typing import Any

from django import forms

from fartbench.models import ProtocolVersion, Round
from fartbench.protocol.schema import Protocol
from fartbench.rounds import Looks
from generation.built_in import names_for
from generation.models import Configuration
from generation.planning import MOST_REPLICATES, Plan, Source


class RoundForm(forms.Form):
    """Name, scenes, replicates, where the clips come from, and for rollouts what is judged."""

    name = forms.CharField(max_length=60)
    replicates = forms.IntegerField(min_value=1, max_value=MOST_REPLICATES)
    scenes = forms.MultipleChoiceField(error_messages={"required": "Choose at least one."})
    source = forms.ChoiceField(error_messages={"required": "Choose one."})
    configurations = forms.MultipleChoiceField(required=False)
    sample = forms.IntegerField(min_value=1, required=False)
    horizons = forms.TypedMultipleChoiceField(coerce=float, required=False)
    kinds = forms.MultipleChoiceField(required=False)
    reviewers = forms.IntegerField(min_value=0, required=False)

    def __init__(
        self,
        *args: Any,
        protocol: ProtocolVersion,
        configurations: list[Configuration],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.protocol, self._rules = protocol, protocol.rules
        # The rule of a name is the row's own.
        self.fields["name"].validators += Round._meta.get_field("name").validators
        self._choices("scenes", [scene.key for scene in self._rules.scenes])
        self._choices("configurations", [one.name for one in configurations])
        self._choices("source", sources_of(self._rules))
        rollouts = self._rules.rollouts
        if rollouts is None:
            for field in ("sample", "horizons", "kinds", "reviewers"):
                del self.fields[field]
            return
        self._choices("horizons", [f"{one:g}" for one in horizons_of(self._rules)])
        self._choices("kinds", [kind.kind for kind in rollouts.units.kinds])

    def _choices(self, field: str, values: list[str]) -> None:
        choice: Any = self.fields[field]
        choice.choices = [(value, value) for value in values]

    def clean(self) -> dict[str, Any]:
        """Ask for configurations where providers make the clips."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("source") == Source.PROVIDERS and not cleaned.get("configurations"):
            self.add_error("configurations", "Choose at least one, or another source.")
        return cleaned

    def plan(self) -> Plan:
        """Return what was asked for, once the form is valid."""
        given = self.cleaned_data
        looks = Looks()
        if self._rules.rollouts is not None:
            looks = Looks(
                given["sample"],
                tuple(given["horizons"]),
                tuple(given["kinds"]),
                given["reviewers"] or 0,
            )
        bought = given["configurations"] if given["source"] == Source.PROVIDERS else []
        return Plan(
            given["name"],
            self.protocol,
            bought,
            given["scenes"],
            given["replicates"],
            Source(given["source"]),
            looks,
        )


def sources_of(rules: Protocol) -> list[str]:
    """Return where the clips of a protocol's rounds can come from."""
    built_in = [Source.BUILT_IN] if names_for(rules) else []
    return [Source.OWN, Source.PROVIDERS, *built_in]


def horizons_of(rules: Protocol) -> list[float]:
    """Return the horizons (s) that all of a protocol's rollouts have, the shortest first."""
    if rules.rollouts is None:
        return []
    every = [set(one.horizons_s) for one in rules.rollouts.scenarios]
    return sorted(set.intersection(*every))


def default_replicates(rules: Protocol) -> int:
    """Return how many clips of each cell a protocol asks for where it says so, else one."""
    return rules.smoke.replicates if rules.smoke else 1
