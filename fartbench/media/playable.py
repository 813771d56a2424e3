"""What Chromium and Firefox both play in an MP4 file without help from the system. No Django
here.
"""

PICTURE = frozenset({"h264", "av1", "vp9"})
SOUND = frozenset({"aac", "mp3", "opus", None})
"""None is a clip without sound."""


def is_playable(picture: str, sound: str | None) -> bool:
    """Say whether every browser plays clips of these codecs."""
    return picture in PICTURE and sound in SOUND
