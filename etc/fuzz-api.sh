#!/usr/bin/env bash
# Tries the gateway by its own OpenAPI document: ./dev fuzz-api
#
#   etc/fuzz-api.sh [--max-examples N] [--seed N] [--url URL --auth USER:PASSWORD]
#
# Without --url it starts a gateway with a MongoDB of its own, whose data are thrown away. Tools come from PyPI and npm
# and are kept in .cache/fuzz-api; what Node.js would do is skipped with a message where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

examples=20 seed=1 url='' auth=admin:secret
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a value"
  case $1 in
  --max-examples) examples=$2 ;;
  --seed) seed=$2 ;;
  --url) url=$2 ;;
  --auth) auth=$2 ;;
  *) fail "there is no option '$1'; see the head of etc/fuzz-api.sh" ;;
  esac
  shift 2
done

tools=$PWD/.cache/fuzz-api
python=$tools/bin/python
if ! "$python" -c 'import schemathesis, openapi_spec_validator' 2>/dev/null; then
  echo "fuzz-api: fetching tools from PyPI" >&2
  mkdir -p "$tools"
  python3 -m venv "$tools"
  "$python" -m pip -q install openapi-spec-validator==0.9.0 schemathesis==4.32.0
fi

scratch=$(mktemp -d)
gateway=''
finish() {
  if [ -n "$gateway" ]; then
    kill "$gateway" 2>/dev/null && wait "$gateway" 2>/dev/null
  fi
  rm -rf "$scratch"
}
trap finish EXIT

if [ -z "$url" ]; then
  url=http://127.0.0.1:18217
  printf '%s\n' '/http-listener/port: 18217' >"$scratch/overrides.yml"
  ./run --embedded-mongo="$scratch/data" -o "$scratch/overrides.yml" >"$scratch/log" 2>&1 &
  gateway=$!
  await_server "$url/ping" "$gateway" "$scratch/log"
fi

ask() { curl -sf -o /dev/null -u "$auth" -H 'Content-Type: application/json' "$@"; }
ask -X PUT "$url/" -d '{}' || true # it may be there
ask -X PUT "$url/fuzz" -d '{}'
ask -X POST "$url/fuzz" -d '[{"title": "a", "n": 1, "tags": ["x"], "at": {"$date": 1}}, {"title": null, "n": 2.5, "deep": {"a": 1}}]'
curl -sf -u "$auth" "$url/_openapi" -o "$scratch/openapi.json"

"$tools/bin/openapi-spec-validator" "$scratch/openapi.json"

if command -v npx >/dev/null; then
  (cd "$scratch" && npm_config_cache="$tools/npm" npx --yes openapi-typescript@7.13.0 openapi.json -o api.ts >/dev/null &&
    npm_config_cache="$tools/npm" npx --yes -p typescript@5.9.3 tsc --strict --noEmit --skipLibCheck api.ts) &&
    echo "fuzz-api: openapi-typescript made a client that compiles"
else
  echo "fuzz-api: there is no Node.js: no client was generated" >&2
fi

# Not checked: bodies of refusals, of which some are empty, and that requests beside the document are refused: the gateway
# reads JSON more leniently than JSON Schema can say, and ignores what it does not know.
cd "$scratch" # where it leaves its notes
"$tools/bin/schemathesis" run "$url/_openapi/fuzz" --auth "$auth" --phases examples,coverage,fuzzing \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,ignored_auth \
  --max-examples "$examples" --seed "$seed" --request-timeout 60
