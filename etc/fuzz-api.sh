#!/usr/bin/env bash
# Tries the gateway by its own OpenAPI document: ./dev fuzz-api
#
#   etc/fuzz-api.sh [--max-examples N] [--seed N] [--url URL --auth USER:PASSWORD]
#
# Without --url it starts a gateway with a MongoDB of its own, whose data are thrown away. Tools come from PyPI and are kept in
# .cache/fuzz-api.
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

use_scratch

if [ -z "$url" ]; then
  url=http://127.0.0.1:18217
  printf '%s\n' '/http-listener/port: 18217' >"$scratch/overrides.yml"
  ./run --embedded-mongo="$scratch/data" -o "$scratch/overrides.yml" >"$scratch/log" 2>&1 &
  gateway=$!
  await_server "$url/ping" "$gateway" "$scratch/log"
fi

ask() { curl -sf -o /dev/null -u "$auth" -H 'Content-Type: application/json' "$@"; }
ask -X PUT "$url/" -d '{}' || true # it may be there
ask -X PUT "$url/_schemas" -d '{}' || true
ask -X PUT "$url/_schemas/fuzz?wm=upsert" -d '{"type": "object", "required": ["title"], "additionalProperties": false, "properties": {"_id": {}, "_etag": {},
  "title": {"type": ["string", "null"]}, "n": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}},
  "deep": {"type": "object", "properties": {"a": {"type": "integer"}}}}}'
ask -X PUT "$url/fuzz" -d '{"jsonSchema": {"schemaId": "fuzz"}}'
ask -X POST "$url/fuzz?wm=upsert" -d '[{"_id": "a", "title": "a", "n": 1, "tags": ["x"]}, {"_id": "b", "title": null, "n": 2.5, "deep": {"a": 1}}]'
ask -X PUT "$url/loose" -d '{}'
ask -X POST "$url/loose" -d '[{"title": "a", "n": 1, "tags": ["x"], "at": {"$date": 1}}, {"title": null, "n": 2.5, "deep": {"a": 1}}]'
curl -sf -u "$auth" "$url/_openapi" -o "$scratch/openapi.json"

"$tools/bin/openapi-spec-validator" "$scratch/openapi.json"

# A deployment of one member has no secondary and confirms no write twice.
cat >"$scratch/schemathesis.toml" <<'TOML'
[parameters]
"query.readPreference" = "primary"
"query.writeConcern" = "MAJORITY"
TOML

# Not checked: that requests beside the document are refused. The gateway reads JSON more leniently than JSON Schema can say,
# and ignores what it does not know. What is documented of "loose" is observed, so other documents may have other structures.
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,use_after_free,ensure_resource_availability,ignored_auth
cd "$scratch" # where it leaves its notes
for collection in "fuzz response_schema_conformance,$checks" "loose $checks"; do
  "$tools/bin/schemathesis" run "$url/_openapi/${collection% *}" --auth "$auth" --phases examples,coverage,fuzzing,stateful \
    --checks "${collection#* }" --max-examples "$examples" --seed "$seed" --request-timeout 60
done
