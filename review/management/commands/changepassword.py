"""Sets the password of an account, but of nobody who reviews."""

from typing import Any

from django.contrib.auth.management.commands.changepassword import Command as Base
from django.contrib.auth.models import User
from django.core.management import CommandError

from review.selectors import rounds_reviewed_by


class Command(Base):
    help = (
        "Set the password of an account. A reviewer's is refused: a person who knows it could "
        "answer in their name."
    )

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Refuse the account of a reviewer, else do as Django does; the change is recorded."""
        user = User.objects.filter(username=options["username"] or "").first()
        if user is not None and (rounds := rounds_reviewed_by(user)):
            raise CommandError(
                f"This account reviews {', '.join(rounds)}. A new invite link lets the reviewer in."
            )
        return super().handle(*args, **options)
