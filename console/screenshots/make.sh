#!/usr/bin/env bash
# Makes pictures of the console of a running gateway with a fresh database:
#   ./run --embedded-mongo=/tmp/pictures &
#   console/screenshots/make.sh http://localhost:8080          those of docs/how-to/console.md
#   console/screenshots/make.sh http://localhost:8080 DIR      every page and state, dark and light, wide and narrow, into DIR:
#                                                              to be looked at; ONLY=documents,live takes those alone
# Needs Node, npm, a Chromium and pngquant. The account is admin:secret unless RH_USER says otherwise.
set -euo pipefail
url=${1:-http://localhost:8080}
all=${2:+$(realpath -m "$2")}
cd "$(dirname "$0")"
chromium=$(../../etc/chromium.sh | tail -n 1)
npm ci --ignore-scripts --silent --no-audit --no-fund
if [ -n "$all" ]; then
  mkdir -p "$all"
  CHROMIUM=$chromium OUT=$all exec node all.mjs "$url"
fi
out=../../docs/how-to/console
mkdir -p "$out"
CHROMIUM=$chromium OUT=$out node make.mjs "$url"
for picture in "$out"/*.png; do
  pngquant --force --skip-if-larger --quality 60-90 --output "$picture" "$picture" || true
done
