"""Blind copies of clips."""

from django.apps import AppConfig

from fartbench import writeonce

# Before a round opens its blind copies may be made anew; afterwards they stay.
_OPENED_ROUNDS = "SELECT id FROM fartbench_round WHERE opened_at IS NOT NULL"


class BlindingConfig(AppConfig):
    name = "blinding"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from blinding import services  # noqa: PLC0415 - both need loaded models
        from fartbench import jobs  # noqa: PLC0415

        jobs.register(services.BLIND, services.blind_sample)
        writeonce.register(
            *writeonce.never_changes("blinding_stimulus", once=f"OLD.round_id IN ({_OPENED_ROUNDS})"),
            *writeonce.never_changes(
                "blinding_blindingkey",
                once=f"OLD.stimulus_id IN (SELECT id FROM blinding_stimulus WHERE round_id IN ({_OPENED_ROUNDS}))",
            ),
        )
