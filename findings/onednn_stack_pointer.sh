#!/usr/bin/env bash
# oneDNN in torch 2.11.0 (PyPI, x86-64): while a product of matrices in fp32 is computed, the stack pointer is not in the thread's stack.
#
# The system writes the frame of a signal's handler below the stack pointer, unless the handler was set with SA_ONSTACK and the
# thread has a stack for it (sigaltstack). During such products that is memory of something else. So a program that links
# LibTorch and has handlers, of a timer, of Ctrl-C or of a scheduler's warning, gives them a stack of their own in the threads
# that compute, or blocks the signals there.
#
# A handler with a stack of its own, called 2,000 times a second, reads the stack pointer of the code that it interrupts, and
# compares it with the bounds that pthread_getattr_np() names. Outside of them it is in most samples of the product of a
# 64 x 512 and a 512 x 64 matrix, with AVX2 as with AVX-512 (ONEDNN_MAX_CPU_ISA), and in none of a sum of such matrices.
#
# Source: the measurement below. A C compiler is needed; about 2.7 GB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.11.0 numpy==2.4.6
cat > "$folder/probe.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

static uintptr_t low, high;
static volatile long samples[2];  // outside of the stack, inside

static void sample(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  uintptr_t pointer = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
  ++samples[pointer >= low && pointer < high];
}

void begin(void) {
  pthread_attr_t attributes;
  void *address;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &address, &size);
  low = (uintptr_t)address;
  high = low + size;
  stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&own, 0);
  struct sigaction action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &timer, 0);
}

long count(int inside) { return samples[inside]; }
C
cc -O2 -shared -fPIC -o "$folder/probe.so" "$folder/probe.c" -lpthread
"$folder/venv/bin/python" - "$folder/probe.so" <<'PY'
import ctypes
import sys
import time

import torch

probe = ctypes.CDLL(sys.argv[1])
torch.set_num_threads(1)
left, right, other = torch.randn(64, 512), torch.randn(64, 512), torch.randn(64, 512)
works = {
    "product": lambda: torch.ops.mkldnn._linear_pointwise(left, right, None, "none", [], ""),
    "sum": lambda: torch.add(left, other),
}
probe.begin()
print("torch", torch.__version__)
shares = {}
for name, work in works.items():
    before, end = [probe.count(0), probe.count(1)], time.time() + 2
    while time.time() < end:
        work()
    outside, inside = probe.count(0) - before[0], probe.count(1) - before[1]
    shares[name] = outside / (outside + inside)
    print(f"{name}: outside of the stack in {outside} of {outside + inside} samples")
if shares["product"] > 0.25 and shares["sum"] == 0:
    print("as described: the stack pointer leaves the stack while oneDNN multiplies")
else:
    sys.exit("changed: it does not")
PY
