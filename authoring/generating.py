"""Builds a whole set of scenarios from themes, sentences and an allocation. Equal seeds give equal
sets. No Django here.

The wording is templated. It is enough to run and test a benchmark of full size; scenarios to be
published are written and read by people.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ruamel.yaml import YAML

from authoring.allocation import Plan, UpdatePlan, allocate
from authoring.constraints import Constraints
from authoring.material import Event, Material, Theme, Wording, read_material
from fartbench.errors import Refusal
from fartbench.protocol.rollouts import forms, metrics, units, verdicts
from fartbench.protocol.rollouts.reading import read_model
from fartbench.protocol.rollouts.schema import Complexity, Scenario, Update

DURATION_S, INTERVAL_S, HORIZONS_S = 180.0, 30.0, (60.0, 120.0, 180.0)
CONSTRAINTS, RULES = "constraints.yaml", "protocol.yaml"


class MaterialUnfit(Refusal):
    """Themes, sentences and constraints from which no set can be made."""


def generate(material: Material, constraints: Constraints, *, seed: int) -> tuple[Scenario, ...]:
    """Return every scenario: each theme in each track.

    Raises NoAllocation when the counts cannot be dealt out.
    """
    random = Random(seed)  # noqa: S311 - for reproducible variety, not for secrecy
    plans = allocate(constraints, themes=len(material.themes), random=random)
    scenarios = []
    for track, found in plans.items():
        for theme, plan in zip(material.themes, found, strict=True):
            scenarios.append(_scenario(theme, track, plan, material.wording, random))
    return tuple(scenarios)


def write_set(source: Path, out: Path, *, seed: int) -> tuple[Scenario, ...]:
    """Generate from the folder ``source`` into the new folder ``out``, which can then be checked,
    reviewed and loaded: units, forms, metrics and rules are copied, these under a version of their
    own.

    Raises DataError or ScenarioError for bad material, MaterialUnfit, NoAllocation, and
    FileExistsError when ``out`` is there. The folder comes whole or not at all.
    """
    constraints, material = read_model(source / CONSTRAINTS, Constraints), read_material(source)
    try:
        scenarios = generate(material, constraints, seed=seed)
    except (LookupError, ValueError) as error:
        raise MaterialUnfit(
            f"{source}: themes, sentences and constraints do not fit each other: {error}"
        ) from error
    if out.exists():
        raise FileExistsError(out)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        _write(source, partial, scenarios, seed)
        partial.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return scenarios


def _write(source: Path, out: Path, scenarios: tuple[Scenario, ...], seed: int) -> None:
    (out / "scenarios").mkdir(parents=True)
    for name in (CONSTRAINTS, units.FILE, forms.FILE, metrics.FILE, verdicts.FILE):
        if (source / name).is_file():
            shutil.copyfile(source / name, out / name)
    if (source / RULES).is_file():
        rules = (source / RULES).read_text(encoding="utf-8")
        version = re.sub(r"(?m)^(version: *)(.*?) *$", rf"\g<1>\g<2>-seed.{seed}", rules, count=1)
        (out / RULES).write_text(version, encoding="utf-8")
    about = {
        "name": f"streamav-generated-{seed}", "version": "0.1.0", "title": "All themes, generated "
                                                                           f"with seed {seed}",
        "extent": "whole", "constraints": CONSTRAINTS,
        "note": "Templated wording, for runs and tests at full size. Not reviewed by anybody.",
    }  # fmt: skip
    YAML(typ="safe", pure=True).dump(about, out / "set.yaml")
    content = [scenario.model_dump(mode="json") for scenario in scenarios]
    (out / "scenarios" / "all.json").write_text(
        json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8"
    )


def _scenario(theme: Theme, track: str, plan: Plan, wording: Wording, random: Random) -> Scenario:
    return Scenario.model_validate({
        "key": f"{theme.key}-{track[0]}", "theme": theme.key, "title": theme.title, "track": track,
        "duration_s": DURATION_S, "horizons_s": HORIZONS_S, "interval_s": INTERVAL_S,
        "scene_domain": theme.domain, "audio_domain": theme.audio_domain,
        "subject_category": theme.category, "visual_style": plan.style,
        "complexity": Complexity(entity=plan.entity, activity=plan.activity, audio=plan.audio),
        "prompt": _prompt(theme, track, plan, wording),
        "video_checklist": _video_checklist(theme, plan, wording),
        "audio_checklist": _audio_checklist(theme, plan, wording),
        "updates": tuple(_Story(theme, wording, random).tell(plan.updates)),
    })  # fmt: skip


def _prompt(theme: Theme, track: str, plan: Plan, wording: Wording) -> str:
    lead = wording.styles[plan.style].lead
    sentences = [
        wording.scene[track], wording.subject, wording.entity[plan.entity],
        wording.activity[_activity(plan)],
        wording.audio[plan.audio], wording.endings[track],
    ]  # fmt: skip
    return " ".join(theme.fill(sentence, lead=lead) for sentence in sentences if sentence)


def _activity(plan: Plan) -> str:
    """Return the name of the sentence about the activity: two at once need a second figure where
    there is one.
    """
    if plan.activity == "concurrent" and plan.entity != "single":
        return "concurrent_multi"
    return plan.activity


def _video_checklist(theme: Theme, plan: Plan, wording: Wording) -> dict[str, str | None]:
    questions = wording.questions
    subjects = questions["subjects"]
    if plan.activity == "atomic":
        activity = "activity"
    else:
        activity = f"activity_{_activity(plan)}"
    return {
        "scene": theme.fill(str(questions["scene"])),
        "visual_style": wording.styles[plan.style].question,
        "subjects": theme.fill(subjects[plan.entity] if isinstance(subjects, dict) else subjects),
        "activity": theme.fill(str(questions[activity])),
    }


def _audio_checklist(theme: Theme, plan: Plan, wording: Wording) -> dict[str, str | None]:
    if plan.audio == "single_source":
        several = ""
    else:
        several = "_multi"
    overlapping = plan.audio == "overlapping"
    return {
        "sound_source": theme.fill(str(wording.questions[f"sound_source{several}"])),
        "sound_content": theme.fill(str(wording.questions[f"sound_content{several}"])),
        "temporal_relation": theme.fill(str(wording.questions["temporal_relation"]))
        if overlapping
        else None,
    }


@dataclass
class _Story:
    """Tells the five updates of one scenario; no sentence is used twice in it."""

    theme: Theme
    wording: Wording
    random: Random
    used: set[str] = field(default_factory=set)
    told: list[tuple[str, bool]] = field(
        default_factory=list
    )  # what each update left, and whether it is seen

    def tell(self, plans: tuple[UpdatePlan, ...]) -> list[Update]:
        """Return the updates in order."""
        return [self._update(step, plan) for step, plan in enumerate(plans, 1)]

    def _update(self, step: int, plan: UpdatePlan) -> Update:
        ref, seen = self.told[plan.source] if plan.source is not None else ("", False)
        event = self._event(plan, seen=seen)
        fill = self.theme.fill
        self.told.append((fill(event.leaves, ref=ref), plan.modality != "audio"))
        if plan.modality != "audio":
            visual = fill(event.see or "", ref=ref)
        else:
            visual = None
        if plan.modality != "video":
            audio = fill(event.hear, ref=ref)
        else:
            audio = None
        return Update.model_validate({
            "id": f"P{step}", "at_s": INTERVAL_S * step, "prompt": _joined(visual, audio),
            "type": plan.type,
            "modality": plan.modality, "dependency": plan.dependency,
            "depends_on": None if plan.source is None else f"P{plan.source + 1}",
            "visual": None if visual is None else _joined(visual),
            "audio": None if audio is None else _joined(audio),
        })  # fmt: skip

    def _event(self, plan: UpdatePlan, *, seen: bool) -> Event:
        pool = [event for event in self._pool(plan, seen=seen) if event.leaves not in self.used]
        event = self.random.choice(pool)
        self.used.add(event.leaves)
        return event

    def _pool(self, plan: UpdatePlan, *, seen: bool) -> tuple[Event, ...]:
        wording, theme = self.wording, self.theme
        if plan.source is not None:
            return (wording.after_seen if seen else wording.after_heard)[plan.type]
        match plan.type:
            case "agent_action":
                return (wording.actions_heard if plan.modality == "audio" else wording.actions)[
                    theme.category
                ]
            case "entity_state_change":
                return (theme.place.changes,)
            case "environment_change":
                return (theme.place.weather,)
        return wording.audio_changes


def _joined(*parts: str | None) -> str:
    """Return the parts as sentences."""
    sentences = [part if part.endswith((".", "!", "”")) else f"{part}." for part in parts if part]
    return " ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences)
