#!/usr/bin/env bash
# bundle.sh BUILD PATCHELF FOLDER: what a machine with a GPU needs that has no network, compiler or Debian packages, but a
# Python with the torch of the build: the programs, the libraries that neither every system nor torch has, scripts, configurations and
# corpora. The libraries are found by LD_LIBRARY_PATH, which FOLDER/heed and tests/benchmarks/gpu.py set.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
umask 022
build=$(cd -- "$1" && pwd)
patchelf=$2
folder=$3
most=60 # MB, so that it is quickly anywhere

die() { printf 'run: %s\n' "$*" >&2; exit 1; }

{ [ ! -e "$folder" ] || [ -f "$folder/bin/heed" ] || [ -z "$(ls -A "$folder")" ]; } ||
  die "$folder has other files; name a new folder"
into=$folder
rm -rf "$into"/.heed-bundle.*  # of a call that was killed
mkdir -p "$into"
folder=$(mktemp -d "$(cd -- "$into" && pwd)/.heed-bundle.XXXXXX")
trap 'rm -rf -- "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/lib" "$folder/tests/benchmarks" "$folder/data"

libtorch=$(dirname "$(ldd "$build/heed-torch" | awk '$1 == "libtorch_cpu.so" {print $3}')")

# libraries_of FILE: paths of the libraries that it loads, without those that every Debian and Ubuntu has
# (cmake/packaging/libraries.cmake), without LibTorch's and CUDA's, and without one that LibTorch has, too, as OpenMP's.
libraries_of() {
  local name arrow path address
  ldd "$1" | while read -r name arrow path address; do
    [ "$arrow" = "=>" ] && [[ ! $name =~ ^lib(c|m|dl|rt|util|pthread|stdc\+\+|gcc_s)\.so ]] || continue
    [ "$path" != not ] || die "$1 needs $name, which is not here"
    case "$path" in "$libtorch"/* | */nvidia/*) continue ;; esac
    [ -e "$libtorch/$name" ] || printf '%s\n' "$path"
  done
}

for name in heed heed-torch heed-bench test_devices libheed_nccl.so libheed_gpu.so; do
  [ -f "$build/$name" ] || continue
  case "$name" in
    *.so) ;;  # beside the programs, they need LibTorch and CUDA alone
    *) libraries_of "$build/$name" | while read -r path; do cp -L "$path" "$folder/lib/"; done ;;
  esac
  strip -o "$folder/bin/$name" "$build/$name"
  "$patchelf" --remove-rpath "$folder/bin/$name"
done

git describe --always --dirty > "$folder/COMMIT" 2>/dev/null || echo unknown > "$folder/COMMIT"
cp -r configs data_scripts "$folder/"
cp tests/benchmarks/*.py tests/benchmarks/*.yaml "$folder/tests/benchmarks/"
cp "$build"/generated/bundle/* "$folder/"
find "$folder" -name __pycache__ -prune -exec rm -rf {} +

size() { du -smL --apparent-size --exclude=runs "$1" | cut -f1; }

# First what every sitting needs, then other corpora as far as they fit.
for corpus in data/gpu data/multi30k data/*/; do
  corpus=${corpus%/}
  [ -d "$corpus" ] && [ ! -e "$folder/$corpus" ] || continue
  if [ $(($(size "$folder") + $(size "$corpus"))) -ge "$most" ]; then
    printf 'run: %s is left out: with it the folder would have more than %s MB\n' "$corpus" "$most" >&2
  else
    cp -rL "$corpus" "$folder/data/"
  fi
done
[ "$(size "$folder")" -le "$most" ] || die "$into has $(size "$folder") MB, more than $most"

# An older bundle stays until this one is complete, and its runs stay.
for name in bin lib heed README.md COMMIT TORCH configs data data_scripts tests; do
  rm -rf "${into:?}/$name"
  [ ! -e "$folder/$name" ] || mv "$folder/$name" "$into/"
done
