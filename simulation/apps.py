"""The built-in renderer and streamer, which registers itself as a provider and as what draws
training clips.
"""

from django.apps import AppConfig


class SimulationConfig(AppConfig):
    name = "simulation"

    def ready(self) -> None:
        from generation import built_in  # noqa: PLC0415 - both need loaded models
        from review import training  # noqa: PLC0415

        built_in.register("local", "simulation.built_in.clips.LocalProvider")
        built_in.register("local-rollouts", "simulation.built_in.rollouts.LocalRolloutProvider")
        built_in.describe_configurations(
            rows="simulation.configurations.make_built_in",
            names="simulation.configurations.suitable_names",
        )
        training.register(
            "simulation.training.run_training", "simulation.training.refuse_undrawable"
        )
