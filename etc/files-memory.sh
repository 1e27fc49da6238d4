#!/usr/bin/env bash
# Shows that files go in and out in constant memory: ./dev files-memory
#
#   etc/files-memory.sh [--megabytes N] [--heap N]
#
# Starts a gateway with a heap of 256 MB and a MongoDB of its own, whose data are thrown away, sends a small file and one of
# 2 GB, reads both back, and prints the gateway's resident memory for each. Takes five minutes and 5 GB of disk; fails if
# content comes back otherwise, or if memory grew with the file.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

megabytes=2048 heap=256
while [ $# -gt 0 ]; do
  case $1 in --megabytes | --heap) ;; *) fail "there is no option '$1'; see the head of etc/files-memory.sh" ;; esac
  case ${2-} in "" | *[!0-9]* | 0*) fail "$1 needs a number" ;; esac
  if [ "$1" = --heap ]; then heap=$2; else megabytes=$2; fi
  shift 2
done
command -v openssl >/dev/null || fail "openssl is missing, which makes content that no one compresses"
[ -r /proc/self/status ] || fail "resident memory is read from /proc, which this system does not have"

need_jdk
if jar_outdated; then build_jar; fi

use_scratch

start_gateway 18219 "-Xmx${heap}m"

auth=(-u admin:secret)
curl -sf "${auth[@]}" -o /dev/null -X PUT "$url/" || true # it may be there
curl -sf "${auth[@]}" -o /dev/null -X PUT "$url/memory.files"

# The gateway's resident memory, in MB: the most since the last reset.
peak() { awk '/^VmHWM/ {print int($2 / 1024)}' "/proc/$gateway/status"; }
now() { awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/$gateway/status"; }
reset() { echo 5 >"/proc/$gateway/clear_refs"; }

# Bytes that no one compresses, always the same.
content() { head -c "$(($1 * 1048576))" /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null; }

# Prints a row. $1: what, $2: MB, $3: seconds.
row() { printf '| %-8s | %5d MB | %8.0f MB/s | %6d MB | %6d MB |\n' "$1" "$2" "$(awk "BEGIN {print $2 / $3}")" "$(now)" "$peak"; }

most=0
transfer() { # $1: MB
  local file=$scratch/content sent received began peak
  content "$1" >"$file"
  sent=$(sha256sum <"$file")

  reset
  began=$EPOCHREALTIME
  curl -sf "${auth[@]}" -o /dev/null -H 'Content-Type: application/octet-stream' -T "$file" "$url/memory.files/f$1"
  peak=$(peak)
  row upload "$1" "$(awk "BEGIN {print $EPOCHREALTIME - $began}")"
  most=$((peak > most ? peak : most))

  reset
  began=$EPOCHREALTIME
  received=$(curl -sf "${auth[@]}" "$url/memory.files/f$1/binary" | sha256sum)
  peak=$(peak)
  row download "$1" "$(awk "BEGIN {print $EPOCHREALTIME - $began}")"
  most=$((peak > most ? peak : most))

  [ "$sent" = "$received" ] || fail "the file of $1 MB came back otherwise"
  rm "$file"
}

printf 'heap %d MB, resident at the start %d MB\n\n' "$heap" "$(now)"
printf '| transfer |     file |          rate | memory at the end | most |\n|---|---|---|---|---|\n'
transfer 64
small=$most
most=0
transfer "$megabytes"
[ "$most" -le $((small + heap)) ] || fail "memory grew with the file: at most $small MB for 64 MB, $most MB for $megabytes MB"
