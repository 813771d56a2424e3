"""Commissioning: cells are laid out, jobs go and get each clip once, and what comes back is stored."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from fartbench import audit, jobs
from fartbench.media.probe import probe
from fartbench.models import Round
from fartbench.storage import file_sha256, raw_clips
from generation import local
from generation.cells import COLLECTING, begin_collecting, lay_out, refuse_when_settled
from generation.errors import CannotCommission
from generation.models import Clip, Configuration, Family, Sample, SampleState
from generation.providers import PROVIDERS, Commission, Delivered, Outcome

GENERATE = "generate"


def local_configurations() -> list[Configuration]:
    """Return the built-in provider's configurations, made when they are not there yet."""
    family, _ = Family.objects.get_or_create(name="local", defaults={"label": "Built-in renderer"})
    return [
        Configuration.objects.get_or_create(
            name=one.key,
            defaults={"label": one.key, "family": family, "provider": "local", "model_id": one.key},
        )[0]
        for one in local.CONFIGURATIONS
    ]


@transaction.atomic
def commission(*, round_: Round, configurations: Iterable[Configuration], seed: int, actor: str) -> int:
    """Ask for one clip per cell of each configuration and return how many jobs wait. Asking again adds nothing.

    Raises ClipsAreSettled after opening, CannotCommission for a configuration that no provider here serves.
    """
    refuse_when_settled(round_)
    wanted = list(configurations)
    if strangers := [one.name for one in wanted if one.provider not in PROVIDERS]:
        raise CannotCommission(
            f"No provider here makes clips of {', '.join(strangers)}: import them with “import_clips”."
        )
    for configuration in wanted:
        lay_out(round_, configuration)
    waiting = Sample.objects.filter(cell__round=round_, cell__configuration__in=wanted, state=SampleState.PLANNED)
    waiting.update(generation_seed=str(seed))
    samples = list(waiting.values_list("pk", flat=True))
    if samples:
        begin_collecting(round_)
        jobs.enqueue(GENERATE, samples, round_name=round_.name)
        names = [one.name for one in wanted]
        audit.record("clips commissioned", actor=actor, round_name=round_.name, configurations=names, seed=seed)
    return len(samples)


def generate(subject: str, report: jobs.Report) -> None:
    """Get the clip of one sample from its provider, probe and store it. A sample with an outcome is left alone."""
    sample = Sample.objects.select_related("cell__round", "cell__configuration").get(pk=subject)
    if sample.has_outcome or sample.cell.round.state not in COLLECTING:
        return
    configuration = sample.cell.configuration
    order = Commission(
        model_id=configuration.model_id,
        parameters=configuration.parameters,
        scene=sample.cell.scene,
        replicate=sample.cell.replicate,
        seed=int(sample.generation_seed),
    )
    with raw_clips().scratch(".mp4") as out:
        outcome = PROVIDERS[configuration.provider].deliver(order, out, report)
        if isinstance(outcome, Delivered):
            _deliver(sample, outcome, out)
        else:
            _settle(sample, reason=outcome.reason, state=_state_of(outcome))


def _state_of(outcome: Outcome) -> SampleState:
    return SampleState(type(outcome).__name__.lower())


def _deliver(sample: Sample, outcome: Delivered, out: Path) -> None:
    facts, sha256, size = probe(out).as_json(), file_sha256(out), out.stat().st_size
    raw_clips().keep(out, sha256=sha256)
    with transaction.atomic():
        clip, _ = Clip.objects.get_or_create(sha256=sha256, defaults={"size": size, "facts": facts})
        _settle(
            sample,
            state=SampleState.DELIVERED,
            clip=clip,
            model_version=outcome.model_version,
            cost_usd=outcome.cost_usd,
            truth=outcome.truth,
        )


def _settle(sample: Sample, **fields: object) -> None:
    # Two workers may have done the same: the first to get here decides, and a cell has one result.
    Sample.objects.filter(pk=sample.pk, state=SampleState.PLANNED).update(generated_at=timezone.now(), **fields)
