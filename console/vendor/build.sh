#!/usr/bin/env bash
# Makes vendor.js and uplot.css from what package-lock.json names. Needs Node 20 or newer.
#   ./build.sh          writes them
#   ./build.sh --fetch  only fetches the packages
#   ./build.sh --check  fails if what is committed differs by a byte
set -euo pipefail
cd "$(dirname "$0")"
resources=../src/main/resources/console
out=$resources
npm ci --ignore-scripts --silent --no-audit --no-fund
if [ "${1:-}" = --fetch ]; then
  exit
fi
if [ "${1:-}" = --check ]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
fi
node_modules/.bin/esbuild entry.mjs --bundle --minify --format=esm --target=es2022 --legal-comments=none \
  --log-level=warning --outfile="$out/vendor.js"
cp node_modules/uplot/dist/uPlot.min.css "$out/uplot.css"
if [ "$out" != "$resources" ]; then
  cmp "$out/vendor.js" "$resources/vendor.js"
  cmp "$out/uplot.css" "$resources/uplot.css"
fi
