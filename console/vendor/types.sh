#!/usr/bin/env bash
# Checks the types that the console's modules state in their comments. Needs Node and npm.
#   ./types.sh          prints what is wrong
#   ./types.sh --fetch  only fetches the compiler
set -euo pipefail
tsc=(npx --yes -p typescript@5.9.3 tsc)
if [ "${1:-}" = --fetch ]; then
  exec "${tsc[@]}" --version
fi
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r ../src/main/resources/console/app tsconfig.json "$scratch"
cp vendor.d.ts "$scratch" # instead of vendor.js, whose types nobody has written down
cd "$scratch"
"${tsc[@]}" -p .
