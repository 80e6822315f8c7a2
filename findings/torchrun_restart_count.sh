#!/usr/bin/env bash
# torchrun of torch 2.11.0 (PyPI): workers of one attempt may be told different numbers of restarts.
#
# `TORCHELASTIC_RESTART_COUNT` of a worker is a number of its own agent. With two agents and `--max-restarts` a worker that fails
# raises the number of the agent that started it. The other agent starts its worker again, too, but because the members have met
# anew, which it does not count. So in the second attempt, in which both workers have the same master and the same size of the
# world, one of them reads 1 and the other 0. Whoever names something by this number, such as keys of the store that all share,
# waits for a partner for ever.
#
# Source: torch/distributed/run.py, whose text describes the variable as the number of restarts of the worker group so far. The
# worker below writes down what it is told; that of agent B fails in its first attempt. About 2.7 GB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.11.0 numpy==2.4.6
cat > "$folder/worker.py" <<'PY'
import os
import pathlib
import sys
import time

folder, agent = pathlib.Path(sys.argv[1]), os.environ["AGENT"]
starts = folder / f"starts-{agent}"
attempt = len(starts.read_text()) + 1 if starts.exists() else 1
starts.write_text("x" * attempt)
told = os.environ["TORCHELASTIC_RESTART_COUNT"]
(folder / f"told-{agent}-{attempt}").write_text(told)
print(f"agent {agent}, start {attempt}: rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}, restart count {told}", flush=True)
if attempt == 1:
    # Both are there before one of them fails.
    while len(list(folder.glob("told-*-1"))) < 2:
        time.sleep(0.1)
    if agent == "B":
        sys.exit(1)
    time.sleep(120)  # its agent ends it
PY
port=$("$folder/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
agent() {
  AGENT=$1 timeout 180 "$folder/venv/bin/torchrun" --nnodes 2 --nproc-per-node 1 --max-restarts 3 --rdzv-backend c10d \
    --rdzv-endpoint "127.0.0.1:$port" --rdzv-id finding "$folder/worker.py" "$folder" 2> "$folder/agent-$1.log"
}
"$folder/venv/bin/python" -c 'import torch; print("torch", torch.__version__)'
agent A & first=$!
agent B & second=$!
ended=yes
wait $first || ended=no
wait $second || ended=no
[ $ended = yes ] || tail -n 5 "$folder"/agent-*.log
a=$(cat "$folder/told-A-2") b=$(cat "$folder/told-B-2")
if [ "$ended $a $b" = "yes 0 1" ]; then
  echo "as described: in one attempt agent A told its worker $a, and agent B $b"
else
  echo "changed: $ended, $a and $b"
  exit 1
fi
