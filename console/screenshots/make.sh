#!/usr/bin/env bash
# Makes the pictures of docs/how-to/console.md from a running gateway with a fresh database:
#   ./run --embedded-mongo=/tmp/pictures &  console/screenshots/make.sh http://localhost:8080
# Needs Node, npm, a Chromium and pngquant. The account is admin:secret unless RH_USER says otherwise.
set -euo pipefail
cd "$(dirname "$0")"
chromium=$(../../etc/chromium.sh | tail -n 1)
npm ci --ignore-scripts --silent --no-audit --no-fund
out=../../docs/how-to/console
mkdir -p "$out"
CHROMIUM=$chromium OUT=$out node make.mjs "${1:-http://localhost:8080}"
for picture in "$out"/*.png; do
  pngquant --force --skip-if-larger --quality 60-90 --output "$picture" "$picture" || true
done
