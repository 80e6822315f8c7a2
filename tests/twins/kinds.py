"""Every kind of model that has a twin, as the `model` section of a configuration."""

import re
from itertools import product
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
TIES = ("none", "decoder", "all")
COVERAGES = ("none", "linguistic", "neural")


def _names(registry, macro):
    return re.findall(rf"^{macro}\((\w+)", (SOURCE / registry).read_text(), re.M)


def _effects(registry, macro):
    """name -> what its line says besides"""
    return dict(re.findall(rf"^{macro}\((\w+),\s*(\w+)", (SOURCE / registry).read_text(), re.M))


POSITIONS = _effects("model/transformer/positions/registry.def", "HEED_POSITIONS")
NORMALISERS = _names("kernels/normalisers/registry.def", "HEED_NORMALISER")


def registered():
    """The attentions of the registry: name -> timing."""
    return _effects("model/recurrent/attention/registry.def", "HEED_ATTENTION")


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
            "attention_normaliser": NORMALISERS[(i + turn) % len(NORMALISERS) if timing != "kNever" else 0],
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
    if turn % 4 == 1 and POSITIONS[positions] != "kAddsScores":
        return {"self_attention": "linear", "sliding_window": 0}
    if turn % 4 == 2:
        beside = {"global_tokens": turn // 4 % 2, "attention_stride": (3, 0)[turn // 8 % 2]}
        return {"self_attention": "sparse", "sliding_window": 1 + turn % 3, **beside}
    return {"self_attention": "softmax", **window}


def _transformer(turn):
    return {
        "type": "transformer",
        "width": 16,
        "heads": 4,
        "kv_heads": 0,
        "feed_forward": 12,
        "encoder_layers": 1 + turn % 2,
        "decoder_layers": 2 - turn % 2,
        "norm": ("pre", "post")[turn % 2],
        "norm_epsilon": (1e-05, 3e-04)[turn % 5 == 3],
        "embedding_norm": turn % 3 == 1,
        "max_positions": 40,
        "attention_scale": ("sqrt", "none")[turn // 2 % 2],
        "attention_normaliser": NORMALISERS[(turn + turn // 3) % len(NORMALISERS)],
        "activation": ("relu", "gelu", "silu")[(turn + turn // 6) % 3],
        "tie": TIES[(turn + 2 * (turn // 3)) % 3],
    }


SELF_ATTENTIONS = {
    "linear": {"self_attention": "linear", "sliding_window": 0},
    "sparse": {
        "self_attention": "sparse",
        "sliding_window": 1,
        "global_tokens": 1,
        "attention_stride": 3,
    },
}


def _recurrences():
    """Decoders without self-attention."""
    kinds = []
    for decoder, positions in product(("ssru", "average"), ("sinusoidal", "learned", "rotary", "t5")):
        turn = len(kinds) + 1
        attention = {"self_attention": "softmax", "sliding_window": (0, 1)[turn // 2 % 2]}
        kinds.append({**_transformer(turn), **attention, "decoder": decoder, "positions": positions})
    return kinds


def transformers():
    kinds = []
    for positions, kv_heads in product(POSITIONS, (0, 2, 1)):
        turn = len(kinds)
        kind = {**_self_attention(turn, positions), **_transformer(turn)}
        kinds.append({**kind, "positions": positions, "kv_heads": kv_heads})
    return kinds + _recurrences() + [
        {**_transformer(0), "positions": positions, **SELF_ATTENTIONS[name]}
        for name, goes_with in (("linear", ("sinusoidal", "rotary", "none")), ("sparse", ("t5", "learned")))
        for positions in goes_with
    ]


def name(kind):
    """A name that sets the kind apart, short enough for a folder."""
    left_out = ("embedding_size", "hidden_size", "width", "heads", "feed_forward", "max_positions")
    left_out += ("norm_epsilon", "embedding_norm")
    words = (f"{key}-{value}" for key, value in kind.items() if key not in left_out)
    return "_".join(words).replace("input_feeding", "feeds").lower()
