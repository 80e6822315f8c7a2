"""A corpus and a configuration for ten updates, to try an installation with."""
SOURCE, PAIRS = "toy.src", 40
CONFIG = """\
name: toy
data:
  train: {source: toy.src, target: toy.tgt}
  vocabulary: {size: 20}
model: {type: transformer, width: 16, feed_forward: 16, heads: 2, encoder_layers: 1, decoder_layers: 1}
training: {updates: 10, validate_every: 10, save_every: 10, batch_size: 200}
"""


def write(folder):
    """Writes them into the folder; the name of the configuration. A translation is its source backwards."""
    lines = [" ".join("abcdefghij"[(i * 3 + j * j + j) % 10] for j in range(1 + i % 7)) for i in range(PAIRS)]
    (folder / SOURCE).write_text("\n".join(lines) + "\n")
    (folder / "toy.tgt").write_text("\n".join(line[::-1] for line in lines) + "\n")
    (folder / "toy.yaml").write_text(CONFIG)
    return "toy.yaml"
