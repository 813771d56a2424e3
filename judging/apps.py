"""AI judges that answer the same form."""

from django.apps import AppConfig

from fartbench import writeonce


class JudgingConfig(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fartbench import jobs  # noqa: PLC0415 - needs loaded models

        jobs.register("judge", "judging.asking.ask", queue=jobs.JUDGE)
        writeonce.register(
            *writeonce.never_changes("judging_judge"),
            # An error may be asked again where nobody has seen an answer; whatever the judge said
            # stays.
            *writeonce.never_changes(
                "judging_judgerun", once="OLD.state IN ('answered', 'blocked', 'invalid')"
            ),
            *writeonce.never_changes("judging_judgetry", once="OLD.state = 'closed'"),
        )
