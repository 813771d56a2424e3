"""The logins of the demonstration: made once, kept where only the owner of the installation can
read them.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from fartbench.models import Round
from review.errors import InviteRefused
from review.links import InviteLink
from review.services import set_cohort
from review.services.invites import openable_invite
from simulation.demo.rounds import ACTOR, COHORTS, YOU

ADMIN, STAFF = "admin", "staff"


@dataclass(frozen=True)
class Accounts:
    """What the console shows: the names and passwords to try, and an invite that still opens."""

    admin_password: str
    staff_password: str
    invite: str = ""
    admin: str = ADMIN
    staff: str = STAFF


def ready_accounts(open_round: Round, link: InviteLink | None) -> Accounts:
    """Return the logins, making what is not there; an invite that was used is replaced by a new
    one.
    """
    kept = _kept()
    invite = link.url if link else kept.get("invite", "")
    if not _opens(invite):
        links = set_cohort(round=open_round, emails=COHORTS[open_round.name], actor=ACTOR)
        invite = next(link.url for link in links if link.email == YOU)
    accounts = Accounts(
        admin_password=kept.get("admin_password") or secrets.token_urlsafe(9),
        staff_password=kept.get("staff_password") or secrets.token_urlsafe(9),
        invite=invite,
    )
    _account(ADMIN, accounts.admin_password, is_superuser=True)
    _account(STAFF, accounts.staff_password, is_superuser=False)
    _keep(accounts)
    return accounts


def _account(name: str, password: str, *, is_superuser: bool) -> None:
    user, _ = User.objects.get_or_create(
        username=name, defaults={"is_staff": True, "is_superuser": is_superuser}
    )
    if not user.check_password(password):
        user.set_password(password)
        user.save()


def _opens(invite: str) -> bool:
    try:
        openable_invite(invite.rstrip("/").rpartition("/")[2])
    except InviteRefused:
        return False
    return True


def _path() -> Path:
    return Path(settings.DATA_DIR) / "demo.json"


def _kept() -> dict[str, str]:
    try:
        return dict(json.loads(_path().read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}


def _keep(accounts: Accounts) -> None:
    new = _path().with_suffix(".new")
    with os.fdopen(
        os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(asdict(accounts), file, indent=2)
    new.replace(_path())
