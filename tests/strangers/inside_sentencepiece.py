"""Called by case.ask(): cuts lines into pieces, puts pieces together, or trains a SentencePiece model."""

import json
import sys

import sentencepiece

request = json.load(sys.stdin)
if request["do"] == "train":
    options = {"minloglevel": 2, "hard_vocab_limit": False, **request["options"]}
    sentencepiece.SentencePieceTrainer.train(input=request["text"], model_prefix=request["prefix"], **options)
    answer = None
else:
    model = sentencepiece.SentencePieceProcessor(model_file=request["model"])
    if request["do"] == "cut":
        answer = [" ".join(model.encode(line, out_type=str)) for line in request["lines"]]
    else:
        answer = [model.decode(line.split()) for line in request["lines"]]
print(json.dumps(answer))
