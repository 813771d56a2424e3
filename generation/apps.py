"""Commissioning and raw clips."""

from django.apps import AppConfig

from fartbench import writeonce


class GenerationConfig(AppConfig):
    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - both need loaded models
        from generation import guards  # noqa: PLC0415

        jobs.register("generate", "generation.commissioning.generate")
        jobs.register("dispatch", "generation.dispatching.dispatch", queue=jobs.SUBMIT)
        jobs.register("submit", "generation.submitting.submit", queue=jobs.SUBMIT)
        jobs.register("find", "generation.submitting.find", queue=jobs.POLL)
        jobs.register("look", "generation.collecting.look", queue=jobs.POLL)
        jobs.register("fetch", "generation.collecting.fetch")
        writeonce.register(*guards.ALL)
