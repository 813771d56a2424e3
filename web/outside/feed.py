"""The releases of this installation as an Atom feed."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from scoring.models import Release
from web.outside.open_to_all import open_to_all
from web.pages.files import keep_for_an_hour
from web.pages.published import public_releases

RELEASES_SHOWN = 50


@open_to_all
def releases(_: HttpRequest) -> HttpResponseBase:
    """Send every release of a published round, the newest first, corrections with their reason."""
    feed = Atom1Feed(
        title="FARTBench: releases",
        link=f"{settings.BASE_URL}{reverse('leaderboards')}",
        description="Every published round, and every correction of one.",
        feed_url=f"{settings.BASE_URL}{reverse('public-feed')}",
    )
    newest = public_releases().select_related("round__protocol").order_by("-created_at")
    for release in newest[:RELEASES_SHOWN]:
        _add(feed, release)
    response = HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)
    keep_for_an_hour(response)
    return response


def _add(feed: Atom1Feed, release: Release) -> None:
    round_ = release.round
    page = f"{settings.BASE_URL}{reverse('releases', args=[round_.name])}"
    title = f"{round_.name}, release {release.number}"
    reason = release.correction_reason
    feed.add_item(
        title=f"{title} (demonstration)" if release.demonstration else title,
        link=f"{page}#release-{release.number}",
        description=f"{round_.protocol.rules.title}.{f' A correction: {reason}' if reason else ''}",
        unique_id=f"urn:sha256:{release.digest}",
        pubdate=release.created_at,
        updateddate=release.created_at,
    )
