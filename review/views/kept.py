"""Answers of a form that came when the session had ended: they wait in the address behind the
login, signed.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.core import signing
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from fartbench.protocol import Form, Response, ResponseError
from review.browser import parse_changes

# Signed, so that nobody sends a reviewer a form that is filled in for them.
SALT = "review.kept-answers"
HOURS = 24
MOST_FIELDS, LONGEST = 40, 60
NOT_ANSWERS = {"csrfmiddlewaretoken", "action", "revision"}
# The page of each form that can be sent without a script.
PAGES = {"review-lock": "review-sheet", "review-pair-lock": "review-pair"}


def after_login(request: HttpRequest) -> str:
    """Return where to go on after a login: to the page asked for, or to the form that was sent,
    still filled in.
    """
    if request.method == "GET":
        return request.get_full_path()
    match = request.resolver_match
    if match is None or match.url_name not in PAGES:
        return reverse("review-home")
    fields = {key: str(value) for key, value in request.POST.items() if key not in NOT_ANSWERS}
    sent = {key: value for key, value in fields.items() if len(key + value) <= LONGEST}
    if len(sent) > MOST_FIELDS:
        return reverse("review-home")
    kept = signing.dumps(sent, salt=SALT, compress=True)
    return f"{reverse(PAGES[match.url_name], kwargs=match.kwargs)}?{urlencode({'kept': kept})}"


def kept_answers(request: HttpRequest, form: Form) -> dict[str, Response]:
    """Return the answers that waited in the address, or none when there are none, or they were
    changed or are old.
    """
    try:
        changes = parse_changes(
            {key: value for key, value in kept_fields(request).items() if key in form.keys}
        )
    except ResponseError:
        return {}
    return {key: response for key, response in changes.items() if response}


def kept_fields(request: HttpRequest) -> Mapping[str, str]:
    """Return the fields of a form that waited in the address as they were sent; none when changed
    or old.
    """
    try:
        sent: Mapping[str, str] = signing.loads(
            request.GET.get("kept", ""), salt=SALT, max_age=HOURS * 3600
        )
    except signing.BadSignature:
        return {}
    return sent
