"""Commissioning: cells are laid out and their clips asked for, each once.

The built-in provider draws its clips in one job per cell. It sells nothing and forgets everything,
so that doing such a job twice costs nothing. What is bought elsewhere takes the steps of
``generation.steps``.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from fartbench import audit, jobs
from fartbench.media.errors import MediaToolDied
from fartbench.models import Round
from fartbench.stores import raw_clips
from generation import buying
from generation.cells import COLLECTING, begin_collecting, lay_out, refuse_when_settled
from generation.chunks import keep_timing
from generation.errors import CannotCommission
from generation.models import Clip, Configuration, CostBasis, Origin, Sample, SampleState
from generation.prompting import render_prompts
from generation.prompts.timed import TimedPrompt
from generation.providers.order import Order
from generation.providers.port import Accepted, Failed, Fetched, Provider, Ready, Refused
from generation.providers.registry import is_built_in, is_known, provider
from generation.storing import store
from generation.verdicts import refuse_unreviewed

GENERATE = "generate"


@transaction.atomic
def commission(
    *, round_: Round, configurations: Iterable[Configuration], seed: int | None = None, actor: str
) -> int:
    """Ask for one clip per cell of each configuration and return how many cells wait. Asking again
    adds nothing.

    ``seed`` is for the built-in provider's draws, random without one: anyone who knows it can draw
    the clips again, and see whose a blind copy is. A release states it. What is bought has the
    protocol's seeds. Raises ClipsAreSettled after opening, NotReviewed before experts passed its
    scenarios, CannotCommission for a configuration that no provider here serves, and what
    ``generation.buying.prepare`` raises for one that cannot be bought as things stand.
    """
    refuse_when_settled(round_)
    refuse_unreviewed(round_)
    wanted = list(configurations)
    if strangers := [one.name for one in wanted if not is_known(one.provider)]:
        raise CannotCommission(
            f"No provider here makes clips of {', '.join(strangers)}: import them with "
            "“import_clips”."
        )
    bought = [one for one in wanted if not is_built_in(one.provider)]
    if (
        round_.protocol.rules.rollouts is not None
    ):  # its prompts are its schedule: no person has to pass them
        render_prompts(
            protocol=round_.protocol, configurations=bought, scenes=round_.scenes, actor=actor
        )
    buying.refuse_unready(round_, bought)
    for configuration in wanted:
        lay_out(round_, configuration)
    count = _ask_local(round_, [one for one in wanted if one not in bought], seed) + buying.prepare(
        round_, bought, actor
    )
    if count:
        begin_collecting(round_)
        names = [one.name for one in wanted]
        audit.record(
            "clips commissioned", actor=actor, round_name=round_.name, configurations=names
        )
    return count


def _ask_local(round_: Round, configurations: list[Configuration], seed: int | None) -> int:
    waiting = Sample.objects.filter(
        cell__round=round_, cell__configuration__in=configurations, state=SampleState.PLANNED
    )
    # What was asked for before keeps its seed: a worker may be drawing with it.
    waiting.filter(generation_seed="").update(
        generation_seed=str(new_seed() if seed is None else seed)
    )
    samples = list(waiting.values_list("pk", flat=True))
    jobs.enqueue(GENERATE, samples, round_name=round_.name)
    return len(samples)


def new_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(63)


def generate(subject: str, report: jobs.Report) -> None:
    """Get the clip of one sample from the built-in provider, probe and store it.

    An outcome is left alone.
    """
    sample = Sample.every.select_related("cell__round__protocol", "cell__configuration").get(
        pk=subject
    )
    if sample.has_outcome or not sample.counts or sample.cell.round.state not in COLLECTING:
        return
    source = provider(sample.cell.configuration.provider)
    request = source.request(_order(sample))
    answer = source.submit(request)
    if isinstance(answer, Refused):
        _settle(sample, state=SampleState.REFUSED, reason=answer.reason)
    if isinstance(answer, Accepted):
        look = source.look(answer.provider_id, answer.handle)
        if isinstance(look, Failed):
            _settle(sample, state=SampleState.FAILED, reason=look.reason)
        if isinstance(look, Ready):
            _draw(sample, source, answer, look, report)


def _order(sample: Sample) -> Order:
    configuration, rules = sample.cell.configuration, sample.cell.round.protocol.rules
    prompts = rules.rollouts.scenario(sample.cell.scene).prompts if rules.rollouts else ()
    return Order(
        configuration.model_id,
        configuration.parameters,
        tuple(TimedPrompt(text, at_s) for _, at_s, text in prompts),
        seconds=rules.clip.duration_s,
        scene=sample.cell.scene,
        replicate=sample.cell.replicate,
        seed=int(sample.generation_seed),
    )


def _draw(
    sample: Sample, source: Provider, answer: Accepted, look: Ready, report: jobs.Report
) -> None:
    with raw_clips().scratch(".mp4") as out:
        fetched = source.fetch(answer.provider_id, answer.handle, look.outputs[0], out, report)
        truth = fetched.truth if isinstance(fetched, Fetched) else None
        stored = store(out)
    if not stored.certain:
        raise MediaToolDied(out, stored.fault)  # the job is tried again
    if stored.clip is None:
        _settle(sample, state=SampleState.FAILED, reason=stored.fault)
        return
    _settle(
        sample,
        state=SampleState.DELIVERED,
        clip=stored.clip,
        model_version=look.model_version,
        cost_usd=look.usage.usd,
        cost_basis=CostBasis.REPORTED,
        truth=truth,
    )


def _settle(sample: Sample, *, clip: Clip | None = None, **fields: object) -> None:
    # Two workers may have done the same: the first to get here decides, and a cell has one result.
    waiting = Sample.objects.filter(pk=sample.pk, state=SampleState.PLANNED)
    with transaction.atomic():
        settled = waiting.update(
            generated_at=timezone.now(), clip=clip, origin=Origin.DRAWN, **fields
        )
        if settled and clip is not None:
            keep_timing(sample, clip, None)
