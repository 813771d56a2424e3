"""Files that PyTorch itself wrote: tensors as they are; what is broken or another model's is
refused by name.
"""

from collections import OrderedDict
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from torch import nn

from measuring.plug_ins.pickles import WeightsUnreadable, read_checkpoint
from measuring.plug_ins.port import measure
from measuring.plug_ins.registry import PLUG_INS
from measuring.plug_ins.tensors import read_tensors
from tests.weights.media import Scene


class Private:
    """What only its author's program knows."""

    def __init__(self) -> None:
        self.inner, self.more = OrderedDict(a=1), {"x": torch.ones(2)}


def test_every_kind_of_tensor_is_read_as_pytorch_reads_it(tmp_path: Path):
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    kinds = {
        "plain": base,
        "turned": base.T,
        "piece": base[1:3, ::2],
        "half": base.half() / 3,
        "brain": base.bfloat16() / 3,
        "double": base.double() / 3,
        "single": torch.tensor(4.5),
        "empty": torch.zeros(0, 3),
        "whole": torch.arange(5),
        "parameter": nn.Parameter(base + 1),
    }
    path = tmp_path / "w.pt"
    torch.save(
        {"model": OrderedDict(kinds), "args": Private(), "optimizer": {"state": {0: [base]}}}, path
    )
    with pytest.raises(Exception, match="Weights only load failed"):
        torch.load(path, weights_only=True)
    found = read_checkpoint(path)["model"]
    assert list(found) == list(kinds)
    for name, values in kinds.items():
        assert found[name].shape == tuple(values.shape)
        assert np.array_equal(found[name], values.detach().to(torch.float64).numpy()), name
    assert "whole" not in read_tensors(path, part=("model",))
    assert read_tensors(path, part=("model",), prefix="turn")["ed"].tolist() == base.T.tolist()


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path):
    whole, cut = tmp_path / "whole.pt", tmp_path / "cut.pt"
    torch.save({"a": torch.ones(100)}, whole)
    with ZipFile(whole) as source, ZipFile(cut, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name)[:40] if "/data/" in name else source.read(name))
    with pytest.raises(WeightsUnreadable, match=r"cut\.pt cannot be read .*too short"):
        read_checkpoint(cut)
    whole.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(WeightsUnreadable, match=r"whole\.pt is not a file that torch\.save wrote"):
        read_checkpoint(whole)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("imagebind", ["imagebind_huge.pth"]),
        ("subject_consistency", ["dino_vitbase16_pretrain.pth", "dinov2_vitb14_pretrain.pth"]),
    ],
)
def test_weights_of_another_model_are_an_evaluators_failure_that_names_the_file(
    tmp_path: Path, key: str, names: list[str]
):
    (tmp_path / key).mkdir()
    for name in names:
        torch.save({"blocks.0.norm1.weight": torch.ones(4)}, tmp_path / key / name)
    found = measure(PLUG_INS[key], Scene(), tmp_path, "cpu").measurement
    assert (found.status, found.value) == ("evaluator_failure", None)
    assert names[0] in found.reason
    assert found.reason.endswith("Is it another model's?")


def test_a_device_that_is_not_there_is_said(tmp_path: Path):
    (tmp_path / "audiobox").mkdir()
    torch.save({}, tmp_path / "audiobox" / "checkpoint.pt")
    found = measure(PLUG_INS["audiobox"], Scene(), tmp_path, "warp").measurement
    assert found.status == "evaluator_failure"
    assert "warp" in found.reason
