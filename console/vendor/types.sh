#!/usr/bin/env bash
# Checks the types that the console's modules state in their comments. Needs Node and npm.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r ../src/main/resources/console/app tsconfig.json "$scratch"
cp vendor.d.ts "$scratch" # instead of vendor.js, whose types nobody has written down
cd "$scratch"
npx --yes -p typescript@5.9.3 tsc -p .
