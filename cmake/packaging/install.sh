#!/usr/bin/env bash
# install.sh stage BUILD: what is to be installed, in BUILD/stage.
# install.sh install STAGE PREFIX: copies that to PREFIX, with a list of it in PREFIX/lib/heed/manifest. What an earlier call
#   put there is replaced once the copy is complete, so that a full disk leaves it; PREFIX/lib/heed/python, the environment with
#   sacrebleu that ./run makes, stays.
# install.sh uninstall PREFIX: takes away what that list names, and the environment.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
umask 022  # all users of this machine may run it

die() { printf 'run: %s\n' "$*" >&2; exit 1; }

stage() {
  local build component
  build=$(cd -- "$1" && pwd)
  rm -rf "$build/stage"
  mkdir -p "$build/stage/lib/heed"
  for component in program libtorch cuda; do
    cmake --install "$build" --prefix "$build/stage" --component "$component" > "$build/install.log" 2>&1 ||
      { tail -n 12 "$build/install.log" >&2; die "cmake --install failed: $build/install.log"; }
  done
  # Files of the checkout have the modes of whoever fetched it.
  chmod -R u+rwX,go+rX,go-w "$build/stage"
}

# In PREFIX: the files and folders of a list that comes in, and what Python wrote beside them. A folder that has other files
# stays.
remove() {
  local listed name i
  mapfile -t listed
  for name in "${listed[@]}"; do
    [[ $name == */ ]] || rm -f -- "$name"
  done
  find share/heed/data_scripts -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
  for ((i = ${#listed[@]} - 1; i >= 0; i--)); do
    [[ ${listed[i]} != */ ]] || rmdir -- "${listed[i]}" 2>/dev/null || true
  done
}

install() {
  local stage prefix=$2 name list earlier='' gone=''
  stage=$(cd -- "$1" && pwd)
  { mkdir -p "$prefix" && [ -w "$prefix" ]; } 2>/dev/null ||
    die "$prefix: you may not write there; choose another folder by --prefix"
  cd -- "$prefix"
  if [ -f lib/heed/manifest ]; then
    earlier=$(grep '/$' lib/heed/manifest || true)
  else
    for name in bin/heed lib/heed share/heed; do
      [ ! -e "$name" ] || die "$PWD/$name is there, and not by ./run install; move it away or choose another --prefix"
    done
  fi
  list=$(
    find "$stage" -mindepth 1 -type d -printf '%P/\n' | sort | while IFS= read -r name; do
      if [ ! -d "$name" ] || grep -qxF -- "$name" <<< "$earlier"; then printf '%s\n' "$name"; fi
    done
    find "$stage" -type f -printf '%P\n' | sort
    echo lib/heed/manifest
  )
  # All that needs room on the disk, beside the earlier installation.
  rm -rf .heed-install.*  # of a call that was killed
  copy=$(mktemp -d "$PWD/.heed-install.XXXXXX")
  trap 'rm -rf -- "$copy"' EXIT
  find "$stage" -type f -printf '%P\0' | tar -C "$stage" -cf - --null -T - | tar -C "$copy" -xf - --no-same-owner ||
    die "$PWD: could not copy the files; what was installed is as it was"
  mkdir -p "$copy/lib/heed"
  printf '%s\n' "$list" > "$copy/lib/heed/manifest"
  [ ! -f lib/heed/manifest ] || gone=$(grep -vxFf "$copy/lib/heed/manifest" lib/heed/manifest || true)
  # Both lists come first, so that an installation that was broken off can be taken away, too.
  printf '%s\n' "$list" ${gone:+"$gone"} > "$copy/both"
  while IFS= read -r name; do
    [[ $name != */ ]] || mkdir -p -- "$name"
  done <<< "$list"
  mv -f "$copy/both" lib/heed/manifest
  while IFS= read -r name; do
    [[ $name == */ ]] || mv -f -- "$copy/$name" "$name"
  done <<< "$list"
  remove <<< "$gone"
}

uninstall() {
  cd -- "$1" 2>/dev/null && [ -f lib/heed/manifest ] ||
    die "$1: nothing here was installed by ./run install; with which --prefix was it?"
  local name
  rm -rf lib/heed/python
  remove < <(cat lib/heed/manifest)
  for name in lib/heed share/heed share/doc/heed; do
    [ ! -e "$name" ] || printf 'run: %s stays, for it has files that were not installed\n' "$PWD/$name" >&2
  done
}

"$@"
