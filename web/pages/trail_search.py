"""Search of the audit trail: what staff asks for, what is found, and the same as CSV.

What a page does not show of an entry is not searched and not sent either: otherwise a search could
confirm a guess of what was answered.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta

from django import forms
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from fartbench.models import AuditEntry, Round
from fartbench.tables import guarded
from web.pages.trail import NOT_SHOWN, entries, shown_details

CSV_COLUMNS = ("sequence", "at", "person", "kind", "round", "details")
# Details of entries that are shown in part, and whose value says what the entry is about.
_OBJECTS_OF_HIDDEN = ("stimulus", "pair", "judge", "configurations")
LONGEST_TEXT = 150


class TrailSearch(forms.Form):
    """What is looked for. Everything is optional; each field that is filled in narrows the rest."""

    round = forms.ChoiceField(label="Round", required=False)
    person = forms.CharField(label="Person", required=False, max_length=LONGEST_TEXT)
    kind = forms.ChoiceField(label="Kind", required=False)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    object = forms.CharField(label="About", required=False, max_length=LONGEST_TEXT)

    def __init__(self, data: dict[str, str]) -> None:
        super().__init__(data, label_suffix="", auto_id="trail-%s")
        rounds = set(Round.objects.values_list("name", flat=True))
        rounds.update(AuditEntry.objects.values_list("round_name", flat=True).distinct())
        rounds.discard("")
        kinds = AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct()
        self.fields["round"] = _choice("Round", sorted(rounds))
        self.fields["kind"] = _choice("Kind", list(kinds))

    def clean(self) -> None:
        """Refuse days in the wrong order."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and until < since:
            self.add_error("until", "This day is before the first one. Exchange the two.")

    def found(self) -> QuerySet[AuditEntry]:
        """Return the entries, the newest first; none while a field has an error."""
        if not self.is_valid():
            return AuditEntry.objects.none()
        wanted = self.cleaned_data
        found = entries(wanted["round"])
        if wanted["person"]:
            found = found.filter(actor__icontains=wanted["person"])
        if wanted["kind"]:
            found = found.filter(action=wanted["kind"])
        if wanted["since"]:
            found = found.filter(at__gte=_midnight(wanted["since"]))
        if wanted["until"]:
            found = found.filter(at__lt=_midnight(wanted["until"] + timedelta(days=1)))
        return _about(found, wanted["object"])


def _choice(label: str, values: list[str]) -> forms.ChoiceField:
    choices = [("", "All"), *((value, value) for value in values)]
    return forms.ChoiceField(label=label, required=False, choices=choices)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


def _about(found: QuerySet[AuditEntry], text: str) -> QuerySet[AuditEntry]:
    """Return the entries whose shown details name the text, in any case of its letters."""
    if not text:
        return found
    is_named = Q()
    for key in _OBJECTS_OF_HIDDEN:
        is_named |= Q(**{f"details__{key}__icontains": text})
    is_partly_hidden = Q(action__in=list(NOT_SHOWN))
    found = found.annotate(details_text=Cast("details", TextField()))
    return found.filter(
        (is_partly_hidden & is_named) | (~is_partly_hidden & Q(details_text__icontains=text))
    )


def trail_csv(found: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield the lines of a CSV file: its header, then one line for each entry.

    Hashes are left out: they cover what is not shown. ``export`` and a release have the chain.
    """
    yield _line(CSV_COLUMNS)
    for entry in found:
        details = json.dumps(shown_details(entry), ensure_ascii=False, sort_keys=True)
        cells = (entry.actor, entry.action, entry.round_name, details)
        yield _line((str(entry.sequence), entry.at.isoformat(), *map(guarded, cells)))


def _line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
