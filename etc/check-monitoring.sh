#!/usr/bin/env bash
# Checks the dashboard, the alerts and the Prometheus configuration of etc/monitoring with promtool; given the URL of a
# running server, also lets a real Prometheus scrape it and evaluates every expression of the dashboard and the alerts.
#
#   etc/check-monitoring.sh [http://localhost:8080 [USER:PASSWORD]]
#
# Installs Debian's package prometheus if it may; without it, it says so and ends well.
set -euo pipefail
# shellcheck source=etc/toolchain.sh
source "$(dirname "$0")/toolchain.sh"
here=$(cd "$(dirname "$0")/monitoring" && pwd)
url=${1:-}
user=${2:-admin:secret}

if ! command -v promtool >/dev/null && ! install_package prometheus 2>/dev/null; then
  echo "skipped: there is no promtool here, and apt-get cannot install the package prometheus"
  exit 0
fi

work=$(mktemp -d)
prometheus=
finish() {
  [ -z "$prometheus" ] || kill "$prometheus" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

python3 -m json.tool "$here/dashboard.json" >/dev/null
promtool check config "$here/prometheus.yml"
promtool test rules "$here/alerts-test.yml"
if [ -z "$url" ]; then
  echo "good; give the URL of a running server to try them on it"
  exit 0
fi

status=$(curl -s -o /dev/null -w '%{http_code}' -u "$user" "$url/metrics" || true)
if [ "$status" != 200 ]; then
  echo "$url/metrics answers $status (000: nothing listens there)"
  case $status in
    401 | 403) echo "name an account that may read it: etc/check-monitoring.sh $url USER:PASSWORD" ;;
  esac
  exit 1
fi

# Names that existed before Prometheus had its conventions are reported there, too.
curl -fsS -u "$user" "$url/metrics" | promtool check metrics >"$work/lint" 2>&1 || true
if grep -q "error while linting" "$work/lint"; then
  cat "$work/lint"
  exit 1
fi

cp "$here/alerts.yml" "$work"
cat >"$work/prometheus.yml" <<YAML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: restheart
    metrics_path: /metrics
    basic_auth: {username: "${user%%:*}", password: "${user#*:}"}
    static_configs: [{targets: ["${url#http://}"]}]
YAML
port=${PROMETHEUS_PORT:-19090}
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --enable-feature=exemplar-storage \
  --web.listen-address="127.0.0.1:$port" >"$work/log" 2>&1 &
prometheus=$!
for _ in $(seq 60); do
  kill -0 "$prometheus" 2>/dev/null || { cat "$work/log"; exit 1; }
  up=$(curl -fsS "http://127.0.0.1:$port/api/v1/query?query=count_over_time(up%7Bjob%3D%22restheart%22%7D%5B1m%5D)%20%3E%203" 2>/dev/null || true)
  case $up in *'"value"'*) break ;; esac
  sleep 1
done

python3 - "$here" "http://127.0.0.1:$port" <<'PYTHON'
import json, re, sys, urllib.parse, urllib.request

def ask(path, **query):
    with urllib.request.urlopen(sys.argv[2] + path + "?" + urllib.parse.urlencode(query)) as answer:
        return json.load(answer)["data"]

target = ask("/api/v1/targets")["activeTargets"][0]
if target["health"] != "up":
    sys.exit("Prometheus cannot scrape: " + target["lastError"])
silent = []
panels = json.load(open(sys.argv[1] + "/dashboard.json"))["panels"]
for panel in panels:
    for each in panel["targets"]:
        expression = each["expr"].replace("$instance", ".*").replace("$template", "/*").replace("$__rate_interval", "1m")
        if not ask("/api/v1/query", query=expression)["result"]:
            silent.append(panel["title"] + ": " + expression)
rules = [rule for group in ask("/api/v1/rules")["groups"] for rule in group["rules"]]
failed = [rule["name"] + ": " + rule["lastError"] for rule in rules if rule["health"] != "ok"]
for each in silent:
    print("no data (yet): " + each)
if failed:
    sys.exit("\n".join(failed))
print("%d panels and %d alerts evaluated by Prometheus, a scrape took %.1f ms, %d exemplars" % (
    len(panels), len(rules), target["lastScrapeDuration"] * 1e3,
    sum(len(each["exemplars"]) for each in ask("/api/v1/query_exemplars",
        query="http_request_duration_seconds_bucket", start="0", end="9999999999"))))
PYTHON
