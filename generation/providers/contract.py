"""What a REST contract says, as data, and how the providers' keys are presented. No Django here."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generation.providers.answers import Moderation


@dataclass(frozen=True)
class Listing:
    """A list of the account's jobs, by which a lost answer can be made good.

    Paths are into one item.
    """

    path: str
    items: str
    id: str
    model: str
    created: str
    page_size: int = 100


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One provider's wire contract. ``$prompt``, ``$model``, ``$tag`` stand in ``body``; ``**``
    takes the settings.
    """

    key: str
    submit: str
    body: Mapping[str, Any]
    provider_id: str
    look: str
    status: str
    states: Mapping[str, Literal["waiting", "working", "made", "failed"]]
    outputs: tuple[str, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    authorization: Callable[[Mapping[str, str]], str]
    encoding: Literal["json", "multipart"] = "json"
    moderation: Moderation = field(default_factory=Moderation)
    look_moderation: Moderation | None = None
    result: str = ""  # where a second GET says whether what is "made" came to anything
    declined: tuple[str, Any] | None = None  # a path and the value there that mean a refusal
    content: str = ""  # where the bytes are, for providers without links
    ok: tuple[str, Any] | None = None  # a path and the value there without which a 2xx is an error
    model_version: str = ""
    returned: tuple[str, ...] = ()
    usd_ticks: str = ""
    output_tokens: str = ""
    listing: Listing | None = None
    by_tag: str = ""  # where a job is found by the name that we gave it


def bearer(name: str, scheme: str = "Bearer") -> Callable[[Mapping[str, str]], str]:
    """Return what makes an Authorization header of the key called ``name``."""
    return lambda keys: f"{scheme} {keys[name]}"


def signed_token(keys: Mapping[str, str]) -> str:
    """Return Kling's Authorization header: a JSON Web Token of half an hour, signed with HS256 (RFC
    7519).
    """
    now = int(time.time())
    claims = {"iss": keys["KLING_ACCESS_KEY"], "exp": now + 1800, "nbf": now - 5}
    parts = [
        _base64(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims)
    ]
    signature = hmac.new(
        keys["KLING_SECRET_KEY"].encode(), ".".join(parts).encode(), hashlib.sha256
    ).digest()
    return f"Bearer {'.'.join([*parts, _base64(signature)])}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
