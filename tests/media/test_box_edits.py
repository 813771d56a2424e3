from tests.media.box_edits import Node, edited
from tests.media.clips import clip


def test_a_file_of_which_nothing_is_changed_stays_the_same(tmp_path):
    for name in ("h264_aac.mp4", "fragmented.mp4", "av1_opus.mp4"):
        same = edited(clip(name), tmp_path / name, Node.written)
        assert same.read_bytes() == clip(name).read_bytes()
