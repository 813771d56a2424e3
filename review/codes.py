"""Reviewer codes, invite tokens and return codes: how they are drawn and how they are kept.

No Django here.
"""

import base64
import hashlib
import hmac
import secrets

# No letter or digit that is easily taken for another one.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 5
RETURN_GROUPS = 4
GROUP_LENGTH = 5


def new_reviewer_code() -> str:
    """Return a random code such as ``R-7KQ2M``: it says nothing about the person, the round or the
    order.
    """
    return f"R-{_random(CODE_LENGTH)}"


def invite_token(key: bytes, invite: str) -> str:
    """Return the secret part of the link of an invite: 256 bits that only who has ``key`` can make.

    ``invite`` names one invite for good, so its link can be shown again and is stored nowhere.
    """
    secret = hmac.digest(key, invite.encode(), "sha256")
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def new_return_code() -> str:
    """Return a personal way back such as ``7KQ2M-...``: 99 random bits, in groups that can be read
    aloud.
    """
    return "-".join(_random(GROUP_LENGTH) for _ in range(RETURN_GROUPS))


def token_hash(secret: str) -> str:
    """Return the SHA-256 under which a token or return code is stored.

    A slow hash would add nothing: nobody guesses a hundred random bits.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def normal_return_code(typed: str) -> str:
    """Return what a person typed as a return code in its one spelling."""
    letters = "".join(letter for letter in typed.upper() if letter in ALPHABET)
    return "-".join(
        letters[start : start + GROUP_LENGTH] for start in range(0, len(letters), GROUP_LENGTH)
    )


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
