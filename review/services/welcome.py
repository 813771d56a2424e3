"""What a reviewer does once per round before the first clip: consent and sound check."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from review.models import CohortMember


@transaction.atomic
def give_consent(member: CohortMember) -> None:
    """Note that the reviewer read the instructions and takes part. Only the first time is kept."""
    if CohortMember.objects.filter(pk=member.pk, consented_at=None).update(consented_at=timezone.now()):
        audit.record("consent given", actor=member.reviewer.code, round_name=member.round.name)


def note_sound_check(member: CohortMember, *, tries: int, volume: float | None) -> None:
    """Note a passed sound check: how often the tones had to be counted, and the player's volume (0 to 1)."""
    member.sound_checked_at = timezone.now()
    member.sound_check = {"tries": tries, "volume": volume}
    member.save(update_fields=["sound_checked_at", "sound_check"])
