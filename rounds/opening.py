"""Opening, closing and publishing a round: each joins clips, reviewers and answers, so they live
here.
"""

from __future__ import annotations

from collections import Counter

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from blinding import marks
from blinding.models import BlindingKey, Stimulus
from blinding.selectors import to_review
from blinding.stimuli import check_files
from fartbench import audit, round_secret
from fartbench.models import Round, RoundState
from fartbench.protocol import digest_of
from fartbench.protocols import freeze
from fartbench.rounds import move, refuse_unless
from fartbench.times import utc
from generation.models import Sample
from review.models import CohortMember, Role
from review.pairs.selectors import missing_votes
from review.progress import missing_sheets
from review.services import plan_orders, write_forms
from rounds.changes import configuration_labels
from rounds.errors import CannotOpen, SheetsMissing
from rounds.step import BEFORE_OPENING
from scoring.assigning import hold_configurations, record_assignment
from scoring.release.publishing import publish

__all__ = ["close_round", "open_round", "publish"]


def open_round(*, round_: Round, actor: str) -> None:
    """Freeze the protocol, draw the orders of the whole cohort and let reviewers in.

    Raises StepOutOfOrder after the round was opened, CannotOpen with every reason why it is not
    ready, and BlindCopyMissing when a stored blind copy is gone or was changed.
    """
    refuse_unless(round_, "open_round", *BEFORE_OPENING)
    if reasons := _not_ready(round_):
        raise CannotOpen(f"Round {round_.name!r} cannot be opened", reasons)
    check_files(Stimulus.objects.filter(round=round_))
    with transaction.atomic():
        write_forms(round_.protocol, round_.scenes)
        freeze(round_.protocol)
        round_secret.commit(round_)
        hold_configurations(round_)
        plan_orders(round=round_, factors=configuration_labels(round_))
        move(round_, to=RoundState.REVIEWING, within=BEFORE_OPENING, opened_at=timezone.now())
        audit.hold()  # from here on nothing is opened or published beside this
        if reasons := _shown_before(round_):
            raise CannotOpen(f"Round {round_.name!r} cannot be opened", reasons)
        audit.record(
            "round opened",
            actor=actor,
            round_name=round_.name,
            protocol=str(round_.protocol),
            digest=round_.protocol.digest,
            stimuli=_stimuli_digest(round_),
            opened_at=utc(round_.opened_at),
        )
        # Last, so that the head of the trail fixes it. It names nobody: a release shows the whole
        # entry.
        record_assignment(round_, because="round opened")


def _not_ready(round_: Round) -> list[str]:
    cohort = round_.protocol.rules.cohort
    members = CohortMember.objects.filter(round=round_, role=Role.PRIMARY).count()
    samples = Sample.objects.filter(cell__round=round_).select_related("cell__configuration")
    keyed = set(
        BlindingKey.objects.filter(stimulus__round=round_).values_list("sample_id", flat=True)
    )
    reviewed = to_review(round_)
    reasons = [
        f"{sample.cell} has no outcome yet: “import_clips” or “mark_cell”"
        for sample in samples
        if not sample.has_outcome
    ]
    reasons += [
        f"{sample.cell} has no blind copy yet: “blind {round_.name}”"
        for sample in reviewed
        if sample.pk not in keyed
    ]
    if not samples:
        reasons.append(f"it has no clips yet: “import_clips {round_.name} MANIFEST.csv”")
    elif not reviewed:
        reasons.append("no cell brought a clip, so there is nothing to review")
    if not cohort.fewest <= members <= cohort.most:
        reasons.append(
            f"its cohort has {members} of {cohort.sizes} reviewers: “set_cohort {round_.name} "
            "EMAIL …”"
        )
    return reasons + _shown_before(round_) + _development_data(round_)


def _shown_before(round_: Round) -> list[str]:
    # Anyone who has seen a published release knows who made the clips it shows.
    published = Sample.objects.filter(cell__round__state=RoundState.PUBLISHED).exclude(
        cell__round=round_
    )
    return [
        f"{sample.cell}: the published round {other.cell.round.name!r} has shown this clip already"
        for sample, other in _shared(round_, published)
    ]


def _development_data(round_: Round) -> list[str]:
    """Name the clips of an official round that a pilot used: its clips stay development data and
    are never promoted.
    """
    if round_.protocol.rules.is_pilot:
        return []
    rounds = Round.objects.exclude(pk=round_.pk).select_related("protocol")
    pilots = [other.pk for other in rounds if other.protocol.rules.is_pilot]
    return [
        f"{sample.cell}: this clip is development data of the pilot round {other.cell.round.name!r}"
        for sample, other in _shared(round_, Sample.every.filter(cell__round__in=pilots))
    ]


def _shared(round_: Round, others: QuerySet[Sample]) -> list[tuple[Sample, Sample]]:
    """Return each sample of the round that shows a clip of one of the others, with that one."""
    shared = marks.shared(Sample.objects.filter(cell__round=round_), others)
    rows = Sample.every.select_related("cell__configuration", "cell__round").in_bulk(
        {*shared, *shared.values()}
    )
    return [(rows[sample], rows[other]) for sample, other in sorted(shared.items())]


def _stimuli_digest(round_: Round) -> str:
    return digest_of(sorted(Stimulus.objects.filter(round=round_).values_list("id", "sha256")))


def _words_of_missing(
    round_: Round, sheets: list[tuple[CohortMember, int]], votes: list[tuple[CohortMember, int]]
) -> str:
    """Say what keeps the round open, and whose answers they are."""
    whose = "; ".join(
        f"{member.reviewer.code} ({member.reviewer.email}): {count}"
        for member, count in [*sheets, *votes]
    )
    kinds = (("sheets", sheets), ("votes on pairs", votes))
    what = " and ".join(name for name, members in kinds if members)
    return (
        f"Round {round_.name!r} stays open, {what} are missing. {whose}. "
        "Wait for them, or close it incomplete, with a reason."
    )


def close_round(*, round_: Round, actor: str, incomplete_reason: str = "") -> None:
    """End the review.

    Raises SheetsMissing, saying whose, unless a reason for closing incomplete is given.
    """
    refuse_unless(round_, "close_round", RoundState.REVIEWING)
    with transaction.atomic():
        # Locking a sheet takes this row too, so that none slips in between the count and the close.
        Round.objects.select_for_update().get(pk=round_.pk)
        sheets, votes = missing_sheets(round_), missing_votes(round_)
        missing = [*sheets, *votes]
        if missing and not incomplete_reason.strip():
            raise SheetsMissing(_words_of_missing(round_, sheets, votes))
        reason = incomplete_reason.strip() if missing else ""
        secret = _secret_to_publish(round_)
        move(
            round_,
            to=RoundState.LOCKED,
            within=(RoundState.REVIEWING,),
            closed_at=timezone.now(),
            incomplete_reason=reason,
            secret=secret,
        )
        audit.record(
            "round closed",
            actor=actor,
            round_name=round_.name,
            missing=_by_code(missing),
            reason=reason,
            closed_at=utc(round_.closed_at),
            secret=secret or "not known: SECRET_KEY was changed",
        )


def _secret_to_publish(round_: Round) -> str:
    """Return what the orders were drawn from. A lost SECRET_KEY keeps no round open: then it stays
    unknown.
    """
    if not round_.secret_sha256:
        return ""
    try:
        return round_secret.secret_of(round_)
    except round_secret.SecretKeyLost:
        return ""


def _by_code(missing: list[tuple[CohortMember, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for member, count in missing:
        counts[member.reviewer.code] += count
    return dict(counts)
