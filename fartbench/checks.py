"""System checks for what would otherwise fail late or in silence."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004 - Django's name

from fartbench import database_roles, weak, writeonce


@register(Tags.database)
def guards_are_installed(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report a missing guard. A warning: an error would stop the very migration that installs
    it.
    """
    return [
        Warning(
            f"The database guard {name!r} is missing from {using!r}.",
            hint="Run “manage.py migrate”; it installs the guards again.",
            id="fartbench.W002",
        )
        for using in databases or []
        for name in writeonce.missing(using=using)
    ]


@register(Tags.database)
def the_program_cannot_change_guards(
    databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Report a database role with rights that it could get around the guards with."""
    return [
        Warning(
            f"In {using!r}: {fault}.",
            hint="Set DATABASE_OWNER_URL to the owner and DATABASE_URL to another role.",
            id="fartbench.W003",
        )
        for using in databases or []
        for fault in database_roles.faults(using=using)
    ]


@register(Tags.security, deploy=True)
def settings_are_fit_for_service(**_: Any) -> list[CheckMessage]:
    """Report settings with which no web server and no worker starts."""
    return list(weak.weak_settings())
