"""What every page of the staff shows, and how it finds its round."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest

from fartbench.models import Round
from web.pages.work import worker_silence
from web.views.access import may_run_rounds


def round_or_404(name: str) -> Round:
    """Return the round of this name with its protocol and order plan. Raises Http404."""
    found = Round.objects.select_related("protocol", "order_plan").filter(name=name).first()
    if found is None:
        raise Http404
    return found


def for_staff(request: HttpRequest) -> dict[str, Any]:
    """Return what the frame of a staff page takes."""
    return {"runs_rounds": may_run_rounds(request.user), "silence": worker_silence()}
