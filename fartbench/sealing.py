"""Texts that rows hold sealed: with Fernet, under keys that follow from ``SECRET_KEY``, which is in
no row.

What was sealed under an earlier ``SECRET_KEY`` opens while ``SECRET_KEY_FALLBACKS`` names that one.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


def seal(purpose: str, text: str) -> str:
    """Return a text sealed for one purpose; it opens for no other."""
    return _fernet(purpose).encrypt(text.encode()).decode()


def unseal(purpose: str, sealed: str) -> str | None:
    """Return the text that was sealed, or None when it cannot be opened."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - web processes start without it

    try:
        return _fernet(purpose).decrypt(sealed).decode()
    except InvalidToken:
        return None


def _fernet(purpose: str) -> MultiFernet:
    from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415 - see above

    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_derived(purpose, secret)) for secret in secrets])


def _derived(purpose: str, secret: str) -> bytes:
    digest = salted_hmac(purpose, "key", secret=secret, algorithm="sha256").digest()
    return urlsafe_b64encode(digest)
