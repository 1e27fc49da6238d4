#!/usr/bin/env bash
# Runs the gateway for a moment and keeps what its JVM has loaded and linked, so that later starts take half the time.
# With a MongoDB of its own (--embedded-mongo) it is exercised for twelve seconds, too: the JVM then knows from the first
# request on what to compile.
#
#   etc/aot-cache.sh JAVA JVM_OPTIONS JAR CACHE [gateway options]
#
# The cache holds for this jar under this JVM and these options; another JVM ignores it.
set -euo pipefail
java=$1 jvm_options=$2 jar=$3 cache=$4
shift 4

# Not the user's gateway: its own port, nothing of the user's configuration.
unset RHO_FILE RESTHEART_CONF_FILE
export RHO='/http-listener/host->"127.0.0.1";/http-listener/port->0'
[[ " $*" != *" --embedded-mongo"* ]] || RHO+=';/core/warm-up-seconds->12'
log=$(mktemp)
rm -f "$cache"
"$java" "@$jvm_options" "-XX:AOTCacheOutput=$cache" -jar "$jar" "$@" >"$log" 2>&1 &
gateway=$!
trap 'kill $gateway 2>/dev/null || true; rm -f "$log"' EXIT

port=
for ((i = 0; i < 600 && ${#port} == 0; i++)); do
  sleep 0.1
  port=$(sed -n 's|.*ready at http://[^ ]*:\([0-9]*\) .*|\1|p' "$log")
done
if [ -z "$port" ]; then
  cat "$log" >&2
  exit 1
fi

ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n' "$1" "$2" >&3
  printf 'Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#3}" "$3" >&3
  cat <&3 >/dev/null
  exec 3>&-
}
# The answers do not matter: without a MongoDB they are errors.
for i in 1 2; do
  ask GET /ping ''
  ask GET /health/ready ''
  ask GET /health/db ''
  ask PUT / ''
  ask PUT /warm ''
  ask POST /warm '{"title": "Ubik", "year": 1969, "tags": ["a", {"b": null}]}'
  ask PUT /warm/one '{"n": 1}'
  ask PATCH /warm/one '{"$inc": {"n": 1}}'
  ask GET /warm/one ''
  ask GET '/warm?filter=%7B%22year%22%3A1969%7D&sort=-year&count' ''
  ask DELETE /warm/one ''
done
kill -TERM $gateway
wait $gateway || true
[ -s "$cache" ]
