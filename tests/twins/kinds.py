"""Every kind of model that has a twin, as the `model` section of a configuration."""

import re
from itertools import product
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
REGISTRY = SOURCE / "model/recurrent/attention/registry.def"
TIES = ("none", "decoder", "all")
COVERAGES = ("none", "linguistic", "neural")


def _names(registry, macro):
    return re.findall(rf"^{macro}\((\w+)", (SOURCE / registry).read_text(), re.M)


POSITIONS = _names("model/transformer/positions/registry.def", "HEED_POSITIONS")
NORMALISERS = _names("kernels/normalisers/registry.def", "HEED_NORMALISER")


def registered():
    """The attentions of the registry: name -> timing."""
    return dict(re.findall(r"^HEED_ATTENTION\((\w+),\s*(\w+)", REGISTRY.read_text(), re.M))


def _recurrent(attention, timing, turn):
    """All that goes with one attention; cells, layers and ties take turns from `turn` on, so that
    the attentions see other combinations of them."""
    windows, feeding, readouts = ["global"], [False], ["linear"]
    if timing == "kAfter":
        feeding = [False, True]
        if attention != "luong_location":
            windows = ["global", "local_m", "local_p"]
    if timing == "kBefore":
        readouts = ["linear", "maxout"]
    options = list(product(windows, feeding, readouts))
    looks = timing != "kNever" and attention != "luong_location"  # at what the encoder says
    for i in range(max(6, len(options))):
        window, feeds, readout = options[i % len(options)]
        yield {
            "type": "rnn",
            "embedding_size": 6,
            "hidden_size": 8,
            "attention": attention,
            "max_positions": (40, 4)[i // 2 % 2],  # luong_location; some sentences have more than 4
            "cell": ("gru", "lstm")[(i + i // 2 + turn) % 2],
            "layers": 1 + (i // 2 + turn) % 2,
            "window": window,
            "window_size": 2,
            "input_feeding": feeds,
            "attention_normaliser": NORMALISERS[(i + turn) % 3 if timing != "kNever" else 0],
            "attention_heads": 1 + i // 3 % 2 if timing != "kNever" else 1,
            "coverage": COVERAGES[(i + i // 3) % 3] if looks else "none",
            "coverage_size": 3,
            "readout": readout,
            "tie": TIES[(i + turn) % 3],
        }


def recurrent():
    return [
        kind
        for turn, (attention, timing) in enumerate(registered().items())
        for kind in _recurrent(attention, timing, turn)
    ]


def _self_attention(turn, positions):
    """Positions that add to scores do not go with linear attention, which has none."""
    window = {"sliding_window": (0, 1, 3)[(turn + turn // 3) % 3]}
    if turn % 4 == 1 and positions not in ("alibi", "relative", "t5"):
        return {"self_attention": "linear", "sliding_window": 0}
    if turn % 4 == 2:
        beside = {"global_tokens": turn // 4 % 2, "attention_stride": (3, 0)[turn // 8 % 2]}
        return {"self_attention": "sparse", "sliding_window": 1 + turn % 3, **beside}
    return {"self_attention": "softmax", **window}


def transformers():
    kinds = []
    for positions, kv_heads in product(POSITIONS, (0, 2, 1)):
        i = len(kinds)
        kinds.append(
            {
                **_self_attention(i, positions),
                "type": "transformer",
                "width": 16,
                "heads": 4,
                "kv_heads": kv_heads,
                "feed_forward": 12,
                "encoder_layers": 1 + i % 2,
                "decoder_layers": 2 - i % 2,
                "norm": ("pre", "post")[i % 2],
                "positions": positions,
                "max_positions": 40,
                "attention_scale": ("sqrt", "none")[i // 2 % 2],
                "attention_normaliser": NORMALISERS[(i + i // 3) % 3],
                "activation": ("relu", "gelu", "silu")[(i + i // 6) % 3],
                "tie": TIES[(i + 2 * (i // 3)) % 3],
            }
        )
    return kinds


def name(kind):
    """What sets it apart, short enough for a folder."""
    left_out = ("embedding_size", "hidden_size", "width", "heads", "feed_forward", "max_positions")
    words = (f"{key}-{value}" for key, value in kind.items() if key not in left_out)
    return "_".join(words).replace("input_feeding", "feeds").lower()
