"""Reviewer codes, invite tokens and return codes: how they are drawn and how they are kept.

No Django here.
"""

import hashlib
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


def new_invite_token() -> str:
    """Return the secret part of an invite link: 256 random bits."""
    return secrets.token_urlsafe(32)


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
