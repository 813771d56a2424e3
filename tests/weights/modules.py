"""Tiny models put together from PyTorch's own modules, and their weights under the names that
checkpoints use.

A layer of a transformer is ``torch.nn.TransformerEncoderLayer``: what it gives is what a plug-in
must give.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

Tensors = dict[str, Tensor]
Spelling = dict[str, str]


def seeded(module: nn.Module, seed: int) -> nn.Module:
    """Give every parameter random values that let signals through, norms around one."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, values in module.named_parameters():
            norm = values.ndim == 1 and name.endswith("weight")
            spread = 1.2 / values[0].numel() ** 0.5 if values.ndim > 1 else 0.2
            values.copy_(torch.randn(values.shape, generator=random) * spread + norm)
    return module


def layers(
    count: int,
    width: int,
    heads: int,
    tiny: float,
    *,
    seed: int,
    act: Callable[[Tensor], Tensor] = nn.functional.gelu,
    first: bool = True,
    extended: bool = False,
) -> list[nn.TransformerEncoderLayer]:
    """Return layers in training mode without dropout: so PyTorch takes the plain way through
    them.
    """
    made = []
    for number in range(count):
        layer = nn.TransformerEncoderLayer(
            width,
            heads,
            2 * width,
            0.0,
            act,
            layer_norm_eps=tiny,
            batch_first=True,
            norm_first=first,
        )
        if extended:
            layer.self_attn = nn.MultiheadAttention(
                width, heads, batch_first=True, add_bias_kv=True
            )
        made.append(seeded(layer, seed * 100 + number))
    return made


FUSED = {
    "norm1": "norm1", "self_attn.in_proj": "attn.qkv", "self_attn.out_proj": "attn.proj",
    "norm2": "norm2",
    "linear1": "mlp.fc1", "linear2": "mlp.fc2",
}  # fmt: skip
CLIP = {
    "norm1": "layer_norm1", "q": "self_attn.q_proj", "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "self_attn.out_proj": "self_attn.out_proj", "norm2": "layer_norm2", "linear1": "mlp.fc1",
    "linear2": "mlp.fc2",
}  # fmt: skip
BOUND = {
    "norm1": "norm_1", "self_attn.in_proj": "attn.in_proj", "self_attn.out_proj": "attn.out_proj",
    "norm2": "norm_2",
    "linear1": "mlp.fc1", "linear2": "mlp.fc2",
}  # fmt: skip
AST = {
    "norm1": "layernorm_before", "q": "attention.attention.query", "k": "attention.attention.key",
    "v": "attention.attention.value", "self_attn.out_proj": "attention.output.dense",
    "norm2": "layernorm_after",
    "linear1": "intermediate.dense", "linear2": "output.dense",
}  # fmt: skip
JOINT = {
    "norm1": "ln1", "q": "attn.query", "k": "attn.key", "v": "attn.value",
    "self_attn.out_proj": "attn.proj",
    "norm2": "ln2", "linear1": "mlp.0", "linear2": "mlp.2",
}  # fmt: skip
WAVLM = {
    "norm1": "self_attn_layer_norm", "q": "self_attn.q_proj", "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "self_attn.out_proj": "self_attn.out_proj", "norm2": "final_layer_norm", "linear1": "fc1",
    "linear2": "fc2",
}  # fmt: skip


def spelt(made: Iterable[nn.Module], begin: str, spelling: Spelling, joint: str = ".") -> Tensors:
    """Return the weights of layers under the names that a checkpoint gives them."""
    found = {}
    for number, module in enumerate(made):
        found |= {
            f"{begin}.{number}.{name}": values
            for name, values in named(module, spelling, joint).items()
        }
    return found


def named(module: nn.Module, spelling: Spelling, joint: str = ".") -> Tensors:
    """Return one layer's weights; ``joint`` stands before "weight" where query, key and value are
    one matrix.
    """
    found: Tensors = {}
    for name, values in module.state_dict().items():
        part, kind = name.rsplit("_" if "in_proj" in name else ".", 1)
        if part.endswith("in_proj") and "q" in spelling:
            for key, third in zip("qkv", values.chunk(3), strict=True):
                found[f"{spelling[key]}.{kind}"] = third
        elif part.endswith("in_proj"):
            found[f"{spelling[part]}{joint}{kind}"] = values
        elif part in spelling:
            found[f"{spelling[part]}.{kind}"] = values
        else:
            found[name.replace("self_attn.", "attn.")] = values
    return {name: values.clone() for name, values in found.items()}


def norm(name: str, width: int, seed: int) -> tuple[Tensors, Callable[[Tensor, float], Tensor]]:
    """Return a norm's weights, and the norm."""
    module = seeded(nn.LayerNorm(width), seed)
    weights = {f"{name}.{key}": values for key, values in module.state_dict().items()}
    return weights, lambda flow, tiny: nn.functional.layer_norm(
        flow, (width,), module.weight, module.bias, tiny
    )


def through(flow: Tensor, made: Iterable[nn.Module], **options: Any) -> Tensor:
    """Return what comes out of layers one after another."""
    for module in made:
        flow = module(flow, **options)
    return flow


def noise(*shape: int, seed: int) -> Tensor:
    """Return random values around zero."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * 0.3
