"""Which text reviewers agree to, a new one in its place, and that somebody agreed."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion, RoundState
from fartbench.regular import regular_text
from fartbench.times import utc
from review.consent_text import LARGEST, ConsentDocument, parse_consent
from review.models import CohortMember, Consent, ConsentText

SHIPPED = Path(settings.BASE_DIR) / "fixtures" / "consent" / "consent.md"


class ConsentRefused(Refusal):
    """A text that is not a new one."""


def consent_document(protocol: ProtocolVersion) -> ConsentDocument:
    """Return what reviewers of the protocol's rounds are asked to agree to now.

    Without a text of the protocol's own it is the one that comes with the program.
    """
    newest = ConsentText.objects.filter(protocol=protocol).order_by("-pk").first()
    return newest.document if newest else read_consent(SHIPPED)


def read_consent(path: Path) -> ConsentDocument:
    """Read a ``consent.md``; ``{operator}`` in it becomes who runs the installation.

    Raises BadInput.
    """
    operator = settings.OPERATOR or "the people who invited you"
    return parse_consent(regular_text(path, LARGEST).replace("{operator}", operator), str(path))


@transaction.atomic
def load_consent(*, protocol: ProtocolVersion, path: Path, actor: str) -> int:
    """Ask the reviewers of the protocol's rounds to agree to another text from now on; return how
    many members of open rounds are asked anew.

    What they answered stays. Raises BadInput for a file that is none, and ConsentRefused for a text
    that was asked for before under this protocol.
    """
    document = read_consent(path)
    ProtocolVersion.objects.select_for_update(no_key=True).get(pk=protocol.pk)
    if document.digest == consent_document(protocol).digest:
        _stored(protocol, document)
        return 0
    if ConsentText.objects.filter(protocol=protocol, digest=document.digest).exists():
        raise ConsentRefused(
            f"{path}: this text was replaced by another one before. Give it a new version."
        )
    stored = _stored(protocol, document)
    asked = CohortMember.objects.filter(
        round__protocol=protocol, round__state=RoundState.REVIEWING, consented_at__isnull=False
    )
    count = asked.update(consented_at=None)
    audit.record(
        "consent text loaded",
        actor=actor,
        protocol=str(protocol),
        version=stored.version,
        digest=stored.digest,
        asked_anew=count,
    )
    return count


def _stored(protocol: ProtocolVersion, document: ConsentDocument) -> ConsentText:
    return ConsentText.objects.get_or_create(
        protocol=protocol,
        digest=document.digest,
        defaults={
            "version": document.version,
            "text": document.text,
            "statements": list(document.statements),
            "loaded_at": timezone.now(),
        },
    )[0]


@transaction.atomic
def give_consent(member: CohortMember, shown: str = "") -> bool:
    """Note that the reviewer takes part, and to which text they agreed; the first time is kept.

    ``shown`` is the digest of the text that they saw. Returns False, and notes nothing, when
    another text holds by now.
    """
    protocol = member.round.protocol
    ProtocolVersion.objects.select_for_update(no_key=True).get(pk=protocol.pk)
    document = consent_document(protocol)
    if shown and shown != document.digest:
        return False
    now = timezone.now()
    if CohortMember.objects.filter(pk=member.pk, consented_at=None).update(consented_at=now):
        Consent.objects.create(member=member, text=_stored(protocol, document), at=now)
        audit.record(
            "consent given",
            actor=member.reviewer.code,
            round_name=member.round.name,
            version=document.version,
            digest=document.digest,
            at=utc(now),
        )
    return True


def consent_of(member: CohortMember) -> Consent | None:
    """Return what a member agreed to last, or None; older versions kept only the time."""
    given = Consent.objects.filter(member=member).select_related("text__protocol")
    return given.order_by("-pk").first()
