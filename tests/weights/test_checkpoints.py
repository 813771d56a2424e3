"""Files that PyTorch itself wrote: tensors as they are; what is broken or another model's is
refused by name.
"""

import json
import os
import subprocess
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest
import torch
from django.conf import settings
from safetensors.numpy import save_file
from torch import nn

from measuring.errors import WeightsUnreadable
from measuring.plug_ins.port import measure
from measuring.plug_ins.registry import PLUG_INS
from measuring.plug_ins.towers.checkpoints import read_checkpoint, read_tensors
from tests.weights.media import Scene

ROOT = settings.BASE_DIR


class Private:
    """What only its author's program knows."""

    def __init__(self) -> None:
        self.inner, self.more = OrderedDict(a=1), {"x": torch.ones(2)}
        self.counts = defaultdict(list, a=[Path("x"), np.float64(3), np.ones(2)])


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
        assert torch.equal(found[name], values), name
    assert "whole" not in read_tensors(path, part=("model",))
    assert read_tensors(path, part=("model",), prefix="turn")["ed"].tolist() == base.T.tolist()


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path):
    whole, cut = tmp_path / "whole.pt", tmp_path / "cut.pt"
    for path in (whole, cut):
        torch.save({"a": torch.ones(100)}, path)
    rewritten(cut, lambda name, content: content[:40] if "/data/" in name else content)
    whole.write_bytes(whole.read_bytes()[:-200])
    for path in (whole, cut):
        with pytest.raises(WeightsUnreadable, match=f"{path.name} cannot be read as a checkpoint"):
            read_checkpoint(path)


def test_a_file_that_is_no_weights_is_refused_by_name(tmp_path: Path):
    for name in ("w.safetensors", "w.pth"):
        for content in (b"", b"x" * 20, (5).to_bytes(8, "little") + b"{}"):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(WeightsUnreadable, match=str(tmp_path / name)):
                read_tensors(tmp_path / name)
    head = json.dumps({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "w.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + b"1234")
    with pytest.raises(WeightsUnreadable):
        read_tensors(tmp_path / "w.safetensors")


def test_weights_of_half_precision_are_read_and_other_tensors_left_out(tmp_path: Path):
    own = tmp_path / "w.safetensors"
    save_file(
        {
            "vision.a": np.float16([[1.5, -2]]),
            "vision.ids": np.int64([1]),
            "text.a": np.ones(2, "f4"),
        },
        own,
    )
    found = read_tensors(own, prefix="vision.")
    assert list(found) == ["a"]
    assert found["a"].tolist() == [[1.5, -2]]
    with pytest.raises(WeightsUnreadable, match="no tensor whose name begins with 'audio"):
        read_tensors(own, prefix="audio.")


class Evil:
    """What runs a program when a pickle is read in the usual way."""

    def __init__(self, function: Callable[..., object], mark: Path) -> None:
        self.function, self.mark = function, mark

    def __reduce__(self):
        return self.function, (f"touch '{self.mark}'",)


@pytest.mark.parametrize(
    ("function", "is_read"), [(subprocess.getoutput, True), (os.system, False)]
)
def test_no_program_in_a_checkpoint_is_run(tmp_path: Path, function, is_read: bool):
    mark, path = tmp_path / "ran", tmp_path / "w.pth"
    torch.save({"args": Evil(function, mark), "settings": Path("x"), "epoch": 3}, path)
    if is_read:
        assert read_checkpoint(path)["epoch"] == 3
        with pytest.raises(WeightsUnreadable, match="has no weights under model"):
            read_tensors(path, part=("model",))
    else:
        with pytest.raises(WeightsUnreadable, match="cannot be read as a checkpoint"):
            read_checkpoint(path)
    assert not mark.exists()


@pytest.mark.parametrize("opcode", [b"r", b"p"])
def test_a_pickle_that_names_a_far_place_of_its_memo_takes_no_memory(opcode: bytes, tmp_path: Path):
    place = (2**31 - 1).to_bytes(4, "little") if opcode == b"r" else b"2147483647\n"
    path = tmp_path / "w.pth"
    torch.save({}, path)
    pickled(path, b"\x80\x02N" + opcode + place + b".")
    code = f"""
import pathlib, resource
from measuring.plug_ins.towers.checkpoints import WeightsUnreadable, read_checkpoint
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_checkpoint(pathlib.Path({str(path)!r}))
except WeightsUnreadable:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert int(ran.stdout) < 200_000  # KiB; the memo that the place asks for would take 16 GiB


def test_a_compressed_checkpoint_is_refused_for_it_could_grow_without_bound(tmp_path: Path):
    path = tmp_path / "w.pth"
    torch.save({"a": torch.zeros(1000)}, path)
    rewritten(path, lambda _name, content: content, ZIP_DEFLATED)
    with pytest.raises(WeightsUnreadable, match="is compressed"):
        read_checkpoint(path)


def pickled(path: Path, structure: bytes) -> None:
    """Put another pickle into a checkpoint."""
    rewritten(path, lambda name, content: structure if name.endswith("data.pkl") else content)


def rewritten(path: Path, change: Callable[[str, bytes], bytes], how: int = ZIP_STORED) -> None:
    """Write a checkpoint's entries anew, each as ``change`` makes it."""
    with ZipFile(path) as archive:
        entries = {name: change(name, archive.read(name)) for name in archive.namelist()}
    with ZipFile(path, "w", how) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


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
