"""Commissioning and raw clips."""

from django.apps import AppConfig

from fartbench import writeonce


class GenerationConfig(AppConfig):
    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - both need loaded models
        from generation import collecting, commissioning, dispatching, guards, steps, submitting  # noqa: PLC0415

        jobs.register(commissioning.GENERATE, commissioning.generate)
        jobs.register(dispatching.DISPATCH, dispatching.dispatch, queue=jobs.SUBMIT)
        jobs.register(steps.SUBMIT, submitting.submit, queue=jobs.SUBMIT)
        jobs.register(steps.FIND, submitting.find, queue=jobs.POLL)
        jobs.register(steps.LOOK, collecting.look, queue=jobs.POLL)
        jobs.register(steps.FETCH, collecting.fetch)
        writeonce.register(*guards.ALL)
