"""Before anything is bought: what must be in order, and the samples that are set ready with prompt,
seed and price.
"""

from __future__ import annotations

from decimal import Decimal

from django.db.models import F

from fartbench import audit
from fartbench.models import Round
from generation import dispatching
from generation.configurations import ConfigurationFile, estimate
from generation.errors import CannotCommission, PriceMissing, PromptRefused, RetiredModel
from generation.models import (
    Ceiling,
    Commissioning,
    Configuration,
    Prompt,
    Sample,
    SampleEvent,
    SampleState,
)
from generation.ordering import REPLICATE_SEEDS, prompts_of
from generation.prompting import current_prompts
from generation.providers.access import access
from generation.providers.order import Order
from generation.providers.registry import provider


def refuse_unready(round_: Round, configurations: list[Configuration]) -> None:
    """Raise the refusal that says what is missing before the first of these can be bought; nothing
    is sent or stored.

    CannotCommission for a track or a configuration without a file, KeyMissing, RetiredModel,
    PriceMissing under a ceiling, PromptRefused for a prompt that is missing, not frozen or too
    long, RequestRefused.
    """
    for configuration in configurations:
        file = _file(configuration)
        _refuse_track(round_, configuration, file)
        if file.retired_on and not access(file.provider).is_stand_in:
            raise RetiredModel(
                f"{configuration.name} was shut down by {file.maker} on {file.retired_on}. "
                "Clips captured before that day come in with “import_clips”."
            )
        access(file.provider)
        _refuse_unpriced(round_, configuration, file)
        _refuse_prompts(round_, configuration, file)


def _file(configuration: Configuration) -> ConfigurationFile:
    file = configuration.file
    if file is None:
        raise CannotCommission(
            f"{configuration.name} is known by name alone. Load its file with "
            "“load_configurations”."
        )
    return file


def _refuse_track(round_: Round, configuration: Configuration, file: ConfigurationFile) -> None:
    tracks = {track.key: track for track in round_.protocol.rules.tracks}
    track = tracks.get(file.track)
    if track is None:
        raise CannotCommission(
            f"{configuration.name} belongs to the track {file.track!r}, and {round_.protocol} has "
            "none of that name: "
            f"its tracks are {', '.join(tracks)}."
        )
    if not track.commissionable:
        raise CannotCommission(
            f"{configuration.name}: nothing is commissioned on the track “{track.label}” under "
            f"{round_.protocol}. "
            "The protocol defines the track, and clips of it are imported."
        )


def _refuse_unpriced(round_: Round, configuration: Configuration, file: ConfigurationFile) -> None:
    ceilings = Ceiling.objects.filter(commissioning__round=round_, provider__in=("", file.provider))
    if not file.price.known and ceilings.exists():
        raise PriceMissing(
            f"{configuration.name} has no known price per second, and the round has a ceiling that "
            "includes it. "
            "Give its file a price with source and date, take it out of the round, or lift the "
            "ceiling."
        )


def _refuse_prompts(round_: Round, configuration: Configuration, file: ConfigurationFile) -> None:
    prompts = current_prompts(round_.protocol, [configuration])
    for scene in round_.scenes:
        prompt = prompts.get((configuration.pk, scene))
        if prompt is None or prompt.frozen_at is None:
            state = "no prompt" if prompt is None else "a prompt that is not frozen"
            raise PromptRefused(
                f"{configuration.name} has {state} for {scene}. Render it with “render_prompts”, "
                "let a person audit "
                "it, and freeze it (Staff › Commissioning › Prompts)."
            )
        timed, seconds = prompts_of(prompt), round_.protocol.rules.clip.duration_s
        for one in timed:
            refuse_too_long(file, one.text, scene)
        # Fills the template and checks names and values, and sends nothing.
        provider(file.provider).request(
            Order(file.model_id, file.parameters, timed, seconds=seconds)
        )


def refuse_too_long(file: ConfigurationFile, text: str, scene: str) -> None:
    """Raise PromptRefused for a prompt over the provider's limit: it is never cut."""
    if file.prompt_limit and (length := file.prompt_limit.length(text)) > file.prompt_limit.at_most:
        raise PromptRefused(
            f"{file.name}: the prompt of {scene} has {length} {file.prompt_limit.units}, and the "
            "provider takes "
            f"{file.prompt_limit.at_most}. It is not cut: choose another route, or an adapter that "
            "is shorter."
        )


def prepare(round_: Round, configurations: list[Configuration], actor: str) -> int:
    """Set the planned samples of these configurations ready to be bought, and return how many they
    are.
    """
    if not configurations:
        return 0
    Commissioning.objects.get_or_create(round=round_)
    prompts = current_prompts(round_.protocol, configurations)
    count = 0
    for configuration in configurations:
        count += sum(
            _prepare_scene(round_, configuration, prompts[configuration.pk, s], actor)
            for s in round_.scenes
        )
    for key in sorted({configuration.provider for configuration in configurations}):
        dispatching.wake(key)
    return count


def _prepare_scene(round_: Round, configuration: Configuration, prompt: Prompt, actor: str) -> int:
    """Set all replicates of a scene ready: a few statements, however many they are."""
    file = _file(configuration)
    planned = Sample.objects.filter(
        cell__round=round_,
        cell__configuration=configuration,
        cell__scene=prompt.scene,
        state=SampleState.PLANNED,
    )
    rows = list(planned.values_list("pk", "cell__replicate"))
    by_seed: dict[int | None, list[int]] = {}
    for pk, replicate in rows:
        by_seed.setdefault(REPLICATE_SEEDS.get(replicate) if file.seed else None, []).append(pk)
    for seed, keys in by_seed.items():
        Sample.objects.filter(pk__in=keys, state=SampleState.PLANNED).update(
            state=SampleState.READY,
            turn=F("turn") + 1,
            provider=file.provider,
            prompt=prompt,
            pilot_version=prompt.pilot_version,
            estimate_usd=estimate(file),
            generation_seed="" if seed is None else str(seed),
        )
    SampleEvent.objects.bulk_create(
        SampleEvent(sample_id=pk, actor=actor, before=SampleState.PLANNED, after=SampleState.READY)
        for pk, _ in rows
    )
    return len(rows)


def round_estimate(round_: Round, configurations: list[Configuration]) -> tuple[Decimal, list[str]]:
    """Return what the configurations' clips of a round should cost in US dollars, and whose price
    is unknown.
    """
    cells = len(round_.scenes) * round_.replicates
    known = {one.name: estimate(one.file) for one in configurations if one.file}
    total = sum((price * cells for price in known.values() if price is not None), Decimal(0))
    return total, sorted(name for name, price in known.items() if price is None)


def set_ceilings(round_: Round, ceilings: dict[str, Decimal | None], actor: str) -> None:
    """Set what a round may spend, by provider and under an empty name in all; None lifts a
    ceiling.
    """
    commissioning, _ = Commissioning.objects.get_or_create(round=round_)
    for key, usd in ceilings.items():
        if usd is None:
            commissioning.ceilings.filter(provider=key).delete()
        else:
            commissioning.ceilings.update_or_create(provider=key, defaults={"usd": usd})
    words = {key or "all": None if usd is None else str(usd) for key, usd in ceilings.items()}
    audit.record("ceilings set", actor=actor, round_name=round_.name, ceilings=words)
    for key in set(
        Sample.objects.filter(cell__round=round_, state=SampleState.READY).values_list(
            "provider", flat=True
        )
    ):
        dispatching.wake(key)
