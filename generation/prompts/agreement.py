"""Whether the specifications of a protocol say what the protocol itself says of its scenes.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fartbench.datafiles import DataError
from fartbench.protocol import Form, Protocol, Scene, form_for
from fartbench.protocol.specification import FOLDER, Specification, read_specification


def specification_faults(protocol: Protocol, *, folder: Path = FOLDER) -> list[str]:
    """Return a sentence for each way in which a scene's specification and the protocol disagree.

    A protocol without a folder of specifications has none to disagree with: its clips are imported.
    """
    if not (folder / protocol.name / protocol.version).is_dir():
        return []
    faults: list[str] = []
    for scene in protocol.scenes:
        try:
            specification, _ = read_specification(
                protocol.name, protocol.version, scene.key, folder=folder
            )
        except DataError as error:
            faults += [f"{error.what}: {fault}" for fault in error.faults]
            continue
        path = folder / protocol.name / protocol.version / f"{scene.key}.yaml"
        faults += [
            f"{path}: {fault}"
            for fault in _differences(form_for(protocol, scene.key), scene, specification)
        ]
    return faults


def _differences(form: Form, scene: Scene, found: Specification) -> Iterator[str]:
    if found.key != scene.key:
        yield f"key: it is {found.key!r}, and the scene is {scene.key!r}"
    if found.title != scene.title:
        yield f"title: {found.title!r} is {scene.title!r} in the protocol"
    if found.objective != scene.objective:
        yield "objective: it differs from the scene's objective in the protocol"
    if found.duration_s != form.protocol.clip.duration_s:
        yield (
            f"duration_s: it is {found.duration_s:g}, and the protocol's clips last "
            f"{form.protocol.clip.duration_s:g}"
        )
    if scene.required_events is not None and found.events.count != scene.required_events:
        yield (
            f"events.count: it is {found.events.count}, and the protocol requires "
            f"{scene.required_events}"
        )
    if found.checks is not None:
        yield from _checks(form, scene, found.checks.expected, found.checks.not_applicable)


def _checks(
    form: Form, scene: Scene, expected: dict[str, str], not_applicable: tuple[str, ...]
) -> Iterator[str]:
    for question in sorted({*expected, *scene.expects}):
        stated, said = expected.get(question), scene.expects.get(question)
        if stated != said:
            yield f"checks.expected.{question}: it is {stated!r}, and the scene expects {said!r}"
    for question in sorted(set(not_applicable) ^ set(form.settled)):
        where = "here alone" if question in not_applicable else "in the protocol alone"
        yield f"checks.not_applicable: {question!r} does not apply {where}"
