"""Whose clip is whose is recorded when a round opens and after every change, and compared with the
rows later.
"""

from __future__ import annotations

from collections.abc import Iterator

from fartbench import audit, round_secret
from fartbench.models import AuditEntry, Round
from generation.models import Configuration, Family
from scoring.assigned_rows import described_rows, shown_rows
from scoring.errors import RoundAltered
from scoring.records.assignment import CHANGES, RECORDED, assignment_digest, keyed_digest
from scoring.records.reading import read_outline


def hold_configurations(round_: Round) -> None:
    """Keep what the round's configurations stand for from being edited until this transaction
    ends.
    """
    used = Configuration.objects.filter(cells__round=round_)
    held = Configuration.objects.select_for_update().filter(pk__in=used.values("pk")).order_by("pk")
    families = {
        configuration.family_id for configuration in held if configuration.family_id is not None
    }
    list(Family.objects.select_for_update().filter(pk__in=families).order_by("pk"))


def record_assignment(round_: Round, *, because: str) -> None:
    """Append an entry with the digests of an open round. It names no person, so that a release can
    show it.

    ``because`` is the step before it. Raises SecretKeyLost.
    """
    secret = round_secret.secret_of(round_)
    audit.record(
        RECORDED,
        round_name=round_.name,
        because=because,
        assignment=assignment_digest(read_outline(round_), secret),
        rows=keyed_digest(shown_rows(round_), secret),
        described=keyed_digest(described_rows(round_), secret),
        secret_sha256=round_.secret_sha256,
    )


def recorded(round_name: str) -> list[AuditEntry]:
    """Return the entries that fix whose clip is whose in a round, the first one that of its
    opening.
    """
    return list(
        AuditEntry.objects.filter(action=RECORDED, round_name=round_name).order_by("sequence")
    )


def assignment_faults(round_: Round) -> Iterator[str]:
    """Yield a sentence for each way in which the rows of an opened round are not what was recorded
    of it.

    Rounds that older versions opened have no such entry, and no SHA-256 of a secret, and are passed
    over.
    """
    entries = recorded(round_.name)
    if not entries and round_.secret_sha256:
        yield "no entry fixes whose clip is whose"
    if not entries:
        return
    if entries[-1].details.get("secret_sha256") != round_.secret_sha256 or not round_secret.is_kept(
        round_
    ):
        yield "its secret is not the one that it was opened with"
        return
    changes = AuditEntry.objects.filter(
        action__in=CHANGES, round_name=round_.name, sequence__gt=entries[0].sequence
    )
    if len(entries) - 1 != changes.count():
        yield (
            f"{changes.count()} changes were recorded since it opened, and {len(entries) - 1} new "
            "assignments"
        )
    if round_.closed_at is not None and not round_.secret:
        return  # it was closed without the SECRET_KEY that it was opened with, and says so
    yield from _digest_faults(round_, entries[-1])


def _digest_faults(round_: Round, newest: AuditEntry) -> Iterator[str]:
    try:
        secret = round_secret.secret_of(round_)
    except round_secret.SecretKeyLost as refusal:
        yield str(refusal)
        return
    try:
        outline = read_outline(round_)
    except RoundAltered as refusal:
        yield from refusal.faults
        return
    except LookupError as error:
        yield f"its rows do not belong together: {error!r}"
        return
    for name, found in (
        ("assignment", assignment_digest(outline, secret)),
        ("rows", keyed_digest(shown_rows(round_), secret)),
        ("described", keyed_digest(described_rows(round_), secret)),
    ):
        stated = newest.details.get(name)
        if stated is None and name == "described":
            continue  # the round was opened by an older version
        if stated != found:
            yield f"{_WORDS[name]} is not what entry {newest.sequence} recorded"


_WORDS = {
    "assignment": "whose clip is whose (a configuration, cell, outcome, clip, blind copy, "
    "reviewer, role or time)",
    "rows": "what is shown to whom (an order, blind copy, window, parameter, member or retired "
    "stimulus)",
    "described": "what is known of its clips (an origin, provider, prompt, fact, chunk, or a row "
    "that was added)",
}
