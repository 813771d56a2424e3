"""Blind copies of clips."""

from django.apps import AppConfig

from fartbench import writeonce

# Before a round opens its blind copies may be made anew; afterwards they stay.
_OPENED_ROUNDS = "SELECT id FROM fartbench_round WHERE opened_at IS NOT NULL"


_CLOSED_ROUNDS = (
    "SELECT id FROM fartbench_round WHERE opened_at IS NOT NULL AND state <> 'reviewing'"
)
_SAMPLES_OF_OPENED_ROUNDS = (
    "SELECT s.id FROM generation_sample s JOIN generation_cell c ON c.id = s.cell_id "
    f"WHERE c.round_id IN ({_OPENED_ROUNDS})"
)


class BlindingConfig(AppConfig):
    name = "blinding"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - needs loaded models

        jobs.register("blind", "blinding.services.blind_sample")
        writeonce.register(
            *(
                guard
                for table in ("blinding_blindcopy", "blinding_notreviewable")
                for guard in (
                    *writeonce.never_changes(
                        table, once=f"OLD.sample_id IN ({_SAMPLES_OF_OPENED_ROUNDS})"
                    ),
                    writeonce.Guard(
                        f"{table}_joins_no_opened_round",
                        table,
                        "INSERT",
                        f"NEW.sample_id IN ({_SAMPLES_OF_OPENED_ROUNDS})",
                    ),
                )
            ),
            writeonce.Guard(
                "stimulus_joins_no_closed_round",
                "blinding_stimulus",
                "INSERT",
                f"NEW.round_id IN ({_CLOSED_ROUNDS})",
            ),
            *writeonce.never_changes(
                "blinding_stimulus", once=f"OLD.round_id IN ({_OPENED_ROUNDS})"
            ),
            *writeonce.never_changes(
                "blinding_blindingkey",
                once="OLD.stimulus_id IN (SELECT id FROM blinding_stimulus WHERE round_id IN "
                f"({_OPENED_ROUNDS}))",
            ),
        )
