#!/usr/bin/env bash
# ctranslate2 4.8.5 and transformers 5.24.0 (PyPI): the converter of MarianMT does not read `decoder_start_token_id`.
#
# - A MarianMT of transformers begins its translations with the vector of `decoder_start_token_id`, whichever token that is. The
#   converted model always begins with a vector of zeros, as Marian does, and nothing says that another one was asked for. A model
#   that begins with `<s>` so has other probabilities after the conversion; only where the named token's vector is zero, as that of
#   `<pad>` in OPUS-MT's models, are they the same.
# - The converter also leaves out the last row of the embeddings and of the output layer, whether `<pad>` is the last token or not.
#
# Source: MarianMTLoader in the library's converters/transformers.py sets start_from_zero_embedding and takes off the last rows. The
# script makes one small MarianMT of random numbers, once with each beginning, converts both and scores the same pair.
# Seen on 30 November 2026.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ctranslate2==4.8.5 transformers==5.24.0 torch==2.11.0 \
    sentencepiece==0.2.3 numpy==2.4.6 setuptools==80.9.0
cat > "$folder/start.py" <<'PY'
import json
import os
import shutil
import sys

import ctranslate2
import sentencepiece
import torch
import transformers

folder = sys.argv[1]
transformers.utils.logging.disable_progress_bar()
text = os.path.join(folder, "text")
with open(text, "w") as file:
    file.write("\n".join(["the dog sees the cat", "a cat sees a dog", "the house is red", "a red dog runs"] * 5))
sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=folder + "/source", vocab_size=40, hard_vocab_limit=False,
                                         minloglevel=2)
shutil.move(folder + "/source.model", folder + "/source.spm")
shutil.copy(folder + "/source.spm", folder + "/target.spm")
cutter = sentencepiece.SentencePieceProcessor(model_file=folder + "/source.spm")
pieces = ["</s>", "<unk>", "<s>"] + [cutter.id_to_piece(i) for i in range(3, cutter.get_piece_size())] + ["<pad>"]
with open(folder + "/vocab.json", "w") as file:
    json.dump({piece: i for i, piece in enumerate(pieces)}, file)
tokenizer = transformers.MarianTokenizer(folder + "/source.spm", folder + "/target.spm", folder + "/vocab.json")


def model_that_begins_with(token):
    torch.manual_seed(1)
    count = len(pieces)
    model = transformers.MarianMTModel(transformers.MarianConfig(
        vocab_size=count, decoder_vocab_size=count, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, pad_token_id=count - 1, eos_token_id=0,
        decoder_start_token_id=pieces.index(token), forced_eos_token_id=None, max_position_embeddings=64, scale_embedding=True,
        share_encoder_decoder_embeddings=True)).eval()
    with torch.no_grad():
        positions = model.model.encoder.embed_positions.weight.shape
        for values in model.parameters():
            if values.dim() > 1 and values.shape != positions:
                values.normal_(0, 0.3)
        model.model.shared.weight[count - 1] = 0
    return model


def scores(token):
    """Log-probabilities of the pieces of one translation: transformers', and ctranslate2's after the conversion."""
    model, path = model_that_begins_with(token), os.path.join(folder, token.strip("<>"))
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    ctranslate2.converters.TransformersConverter(path).convert(path + "-ct2")
    source = tokenizer("the dog sees a red house", return_tensors="pt")
    target = ["▁the", "▁dog"]
    ids = tokenizer.convert_tokens_to_ids(target) + [0]
    before = torch.tensor([[pieces.index(token)] + ids[:-1]])
    with torch.no_grad():
        logits = model(**source, decoder_input_ids=before).logits[0, :, :-1]  # <pad> is not in the converted model
    own = torch.log_softmax(logits, -1)[range(len(ids)), ids].tolist()
    engine = ctranslate2.Translator(path + "-ct2", device="cpu", compute_type="float32")
    converted = engine.score_batch([tokenizer.convert_ids_to_tokens(source.input_ids[0])], [target])[0].log_probs
    for name, numbers in (("transformers", own), ("ctranslate2", converted)):
        print(f"begins with {token:6} {name:13}", " ".join(f"{number:8.4f}" for number in numbers))
    return own, converted


def near(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-3


print("ctranslate2", ctranslate2.__version__, "transformers", transformers.__version__)
zero, zero_converted = scores("<pad>")
begin, begin_converted = scores("<s>")
as_described = near(zero, zero_converted) and not near(begin, begin_converted) and near(begin_converted, zero_converted)
print("as described" if as_described else "changed")
sys.exit(not as_described)
PY
"$folder/venv/bin/python" -W ignore "$folder/start.py" "$folder"
