"""The reviewers of a round as an admin looks after them: links, progress, and messages to send."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import mark_safe

from fartbench.models import Round, RoundState
from fartbench.tables import guarded
from fartbench.times import utc
from review.links import link_of
from review.models import Invite
from review.progress import MemberProgress, progress_of_round

CSV_COLUMNS = ("code", "email", "link", "expires_at", "invite", "done", "total")
JOINABLE = (*RoundState.values[: RoundState.values.index(RoundState.REVIEWING)], "reviewing")
WORKING = ("open", "opened")  # states of an invite whose link still lets its reviewer in


@dataclass(frozen=True, slots=True)
class Mail:
    """A message to copy or to send; ``url`` opens it in the mail program of who clicks."""

    to: str
    subject: str
    body: str

    @property
    def url(self) -> str:
        words = urlencode({"subject": self.subject, "body": self.body}, quote_via=quote)
        return f"mailto:{quote(self.to, safe='@')}?{words}"


@dataclass(frozen=True, slots=True)
class MemberCard:
    """A member with the link that still works, if any, and what can be sent to them."""

    progress: MemberProgress
    link: str
    expires_at: datetime | None
    invitation: Mail | None
    reminder: Mail | None

    @property
    def qr_code(self) -> str:
        """The link as a picture for the camera of a phone, in SVG; empty without a link."""
        if not self.link:
            return ""
        import segno  # noqa: PLC0415 - one page needs it

        picture = segno.make(self.link, error="m", micro=False)
        svg = picture.svg_inline(border=4, omitsize=True, light="#fff", dark="#000")
        return mark_safe(svg)  # noqa: S308 - paths made of numbers; the link is not in it

    @property
    def is_here(self) -> bool:
        """Say whether the person is a reviewer of the round still."""
        return self.progress.role != "Replaced"


def member_cards(round_: Round) -> list[MemberCard]:
    """Return every member of a round by place. Nothing is made and nothing changes."""
    newest = {
        invite.member.reviewer.code: invite
        for invite in Invite.objects.filter(member__round=round_, revoked_at=None)
        .select_related("member__reviewer")
        .order_by("created_at", "pk")
    }
    return [
        _card(round_, progress, newest.get(progress.code)) for progress in progress_of_round(round_)
    ]


def _card(round_: Round, progress: MemberProgress, invite: Invite | None) -> MemberCard:
    url, expires_at, invitation, reminder = "", None, None, None
    if invite is not None and progress.invite_state in WORKING:
        expires_at = invite.expires_at
        if can_join(round_) and (link := link_of(invite)):
            url = link.url
            invitation = _invitation(round_, progress, invite, url)
    if round_.state == RoundState.REVIEWING and progress.left > 0:
        reminder = _reminder(round_, progress, url)
    return MemberCard(progress, url, expires_at, invitation, reminder)


def can_join(round_: Round) -> bool:
    """Say whether people can still be invited to the round."""
    return round_.state in JOINABLE


def _invitation(round_: Round, progress: MemberProgress, invite: Invite, url: str) -> Mail:
    rules = round_.protocol.rules
    amount = (
        f" There are {progress.total} {rules.words.stimulus}s for you." if progress.total else ""
    )
    body = (
        f"Hello,\n\nyou are invited to review in “{rules.title}” (round {round_.name}).{amount} "
        "You need sound, ideally headphones.\n\n"
        f"Your link, for you alone:\n{url}\n\n"
        "It works until you have agreed to take part, and until "
        f"{invite.expires_at:%d %B %Y} at the latest. You can stop at any time "
        "and continue later.\n"
    )
    return Mail(progress.email, f"Invitation to review: round {round_.name}", body)


def _reminder(round_: Round, progress: MemberProgress, url: str) -> Mail:
    words = round_.protocol.rules.words
    home = settings.BASE_URL + reverse("review-home")
    way_in = (
        f"Your link: {url}"
        if url
        else f"{home}\n\nLog in with your password or your return code. If you have neither, "
        "answer this message and you will get a new link."
    )
    body = (
        f"Hello,\n\nin round {round_.name}, {progress.left} of your {progress.total} "
        f"{words.stimulus}s still wait for your answers. You can continue where you stopped, on "
        f"any device.\n\n{way_in}\n"
    )
    return Mail(progress.email, f"Round {round_.name}: {progress.left} left for you", body)


def links_csv(cards: list[MemberCard]) -> str:
    """Return the members and their links as CSV."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(CSV_COLUMNS)
    for card in cards:
        one = card.progress
        cells = (one.code, one.email, card.link, utc(card.expires_at), one.invite_state)
        writer.writerow([*map(guarded, cells), one.done, one.total])
    return file.getvalue()
