"""Changes tables, as the role that owns them."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate

from fartbench import database_roles
from fartbench.commands import REFUSED
from fartbench.errors import Refusal


class Command(migrate.Command):
    """Django's own; on PostgreSQL it works as the owner, and gives the program its rights after."""

    def handle(self, *args: Any, **options: Any) -> None:
        using = options["database"]
        try:
            with database_roles.as_owner(using=using):
                database_roles.refuse_unless_owner(using=using)
                super().handle(*args, **options)
                database_roles.give_rights_to_the_program(using=using)
        except Refusal as refusal:
            raise CommandError(str(refusal), returncode=REFUSED) from refusal
