"""The built-in renderer and streamer, which registers itself as a provider and as what draws
training clips.
"""

from django.apps import AppConfig


class SimulationConfig(AppConfig):
    name = "simulation"

    def ready(self) -> None:
        from generation import built_in  # noqa: PLC0415 - all need loaded models
        from generation.providers import registry  # noqa: PLC0415
        from review import training as wanted  # noqa: PLC0415
        from simulation import configurations, local, training  # noqa: PLC0415
        from simulation.built_in.clips import LocalProvider  # noqa: PLC0415
        from simulation.built_in.rollouts import LocalRolloutProvider  # noqa: PLC0415
        from simulation.local.rollouts.systems import SYSTEMS  # noqa: PLC0415

        registry.register_built_in("local", LocalProvider)
        registry.register_built_in("local-rollouts", LocalRolloutProvider)
        built_in.register(
            [one.key for one in local.CONFIGURATIONS],
            configurations.local_configurations,
            configurations.can_draw_clips,
        )
        built_in.register(
            [one.key for one in SYSTEMS],
            configurations.built_in_systems,
            configurations.can_draw_rollouts,
        )
        wanted.register(training.run_training, training.refuse_undrawable)
