"""What the product refuses to do with a media file. No Django here."""

from pathlib import Path

from fartbench.errors import Refusal


class MediaRefusal(Refusal):
    """A file that is not taken; the message names the file and the reason."""

    def __init__(self, path: Path | str, reason: str) -> None:
        self.file = Path(path).name
        self.reason = reason
        super().__init__(f"{self.file}: {reason}")


class NotAVideo(MediaRefusal):
    """The bytes are not a whole MP4, MOV, WebM or Matroska video, whatever the file is called."""


class UnsafeMedia(MediaRefusal):
    """The file asks for more than a clip may have: pixels, streams, time, memory, or other
    files.
    """


class MediaToolDied(MediaRefusal):
    """The child that reads media was killed or crashed on this file."""


class MediaTimeout(MediaToolDied):
    """The child that reads media took longer than it may for this file."""
