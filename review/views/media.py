"""The bytes of a clip, for those who may play it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from blinding.views import stream
from review.selectors import visible_stimulus, visible_training


@require_safe
def media(request: HttpRequest, stimulus_id: str) -> HttpResponseBase:
    """Send a blind copy. Anyone who may not play it gets the answer that an unknown id gets."""
    stimulus = visible_stimulus(request.user, stimulus_id)
    if stimulus is None:
        raise Http404
    return stream(request, stimulus)


@require_safe
def training_media(request: HttpRequest, clip_id: str) -> HttpResponseBase:
    """Send a training clip, under the same rules."""
    clip = visible_training(request.user, clip_id)
    if clip is None:
        raise Http404
    return stream(request, clip)
