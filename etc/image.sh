#!/usr/bin/env bash
# Builds the image as the Dockerfile says and proves it, without Docker and without a registry: ./dev image [--no-build]
#
# As root, on Debian, with buildah and mmdebstrap (installed if apt-get may). The two images on which the Dockerfile
# stands are made here: a minimal Debian from this machine's package sources, and the same with this machine's JDK and
# Maven. Then the image must
#   - be smaller than 150 MB, unpacked,
#   - run as user 1000 without capabilities in a root file system that is read-only but for /tmp,
#   - answer /ping, /health/live, /health/db and its own health check, and give what it holds of a MongoDB, if MONGODB_URI names one,
#   - end with SIGTERM in order.
# --no-build proves the image that was built before.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh
need_jdk
need_maven
MAX_MB=150
PORT=${PORT:-18080}

[ "$(id -u)" = 0 ] || fail "has to be run by root: it mounts file systems"
for tool in buildah mmdebstrap; do
  command -v "$tool" >/dev/null ||
    install_package "$tool" 2>/dev/null ||
    fail "needs $tool, and apt-get cannot install it"
done

export BUILDAH_ISOLATION=chroot
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
work=$(mktemp -d)
gateway=
finish() {
  [ -z "$gateway" ] || { kill -KILL "$gateway" && wait "$gateway"; } 2>/dev/null || true
  umount -R "$work/root" 2>/dev/null || true
  for container in "${containers[@]}"; do
    buildah rm "$container" >/dev/null 2>&1 || true
  done
  rm -rf "$work"
}
containers=()
trap finish EXIT

step() {
  echo "image: $*" >&2
}

build() {
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  if [ -z "$(buildah images -q localhost/restheart-debian 2>/dev/null)" ]; then
    step "making a minimal Debian ($suite)"
    mmdebstrap --quiet --variant=minbase "$suite" "$work/debian.tar"
    base=$(buildah from scratch)
    containers+=("$base")
    buildah add -q "$base" "$work/debian.tar" / >/dev/null
    buildah commit -q "$base" localhost/restheart-debian >/dev/null
    rm "$work/debian.tar"
  fi
  step "adding the JDK and Maven of this machine to it"
  base=$(buildah from localhost/restheart-debian)
  containers+=("$base")
  maven_home=$(dirname "$(dirname "$(readlink -f "$(command -v mvn)")")")
  root=$(buildah mount "$base")
  mkdir -p "$root/opt/maven" "$root/opt/jdk"
  # Packages of Debian have links to others.
  cp -rL "$maven_home/." "$root/opt/maven/"
  cp -rL "$JAVA_HOME/." "$root/opt/jdk/"
  buildah umount "$base" >/dev/null
  buildah config --env JAVA_HOME=/opt/jdk --env PATH=/opt/maven/bin:/opt/jdk/bin:/usr/bin:/bin "$base"
  buildah commit -q "$base" localhost/restheart-build >/dev/null

  step "building"
  buildah build --format docker --network host \
    --build-arg BUILD_BASE=localhost/restheart-build --build-arg DEBIAN=localhost/restheart-debian \
    --build-arg "VERSION=$(project_version)" --build-arg "REVISION=$(git rev-parse HEAD)" \
    --build-arg "CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    --volume "${MAVEN_REPOSITORY:-$HOME/.m2/repository}:/root/.m2/repository" -t localhost/restheart . >"$work/build" 2>&1 || { tail -40 "$work/build" >&2; fail "the build has failed"; }
}
case ${1:-} in
--no-build) ;;
'') build ;;
*) fail "there is no option '$1'" ;;
esac

image=$(buildah from localhost/restheart)
containers+=("$image")
root=$(buildah mount "$image")
size=$(du -sx --apparent-size --block-size=1 "$root" | cut -f 1)
buildah push -q localhost/restheart "oci-archive:$work/oci.tar"
packed=$(stat -c %s "$work/oci.tar")
echo "unpacked $((size / 1000000)) MB (Java $(du -sm "$root/opt/java" | cut -f 1) MiB, server $(du -sm "$root/opt/restheart" |
  cut -f 1) MiB), as an OCI archive $((packed / 1000000)) MB"
[ $((size / 1000000)) -lt $MAX_MB ] || fail "the image has more than $MAX_MB MB"
[ -f "$root/opt/restheart/health.sh" ] || fail "the image has no health check"
found=$(find "$root" -xdev -type f -perm /6000)
[ -z "$found" ] || fail "there are files with the rights of their owners: $found"

step "running it: read-only, user 1000"
mkdir "$work/root"
mount --bind "$root" "$work/root"
mount -o remount,bind,ro "$work/root"
mount -t proc proc "$work/root/proc"
mount -t tmpfs -o size=64m,nosuid,nodev tmpfs "$work/root/tmp"
mount --bind /dev "$work/root/dev"
mapfile -t entry < <(buildah inspect --format '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}' localhost/restheart |
  sed '/^$/d')
label=$(buildah inspect --format '{{index .OCIv1.Config.Labels "org.opencontainers.image.version"}}' localhost/restheart)
[ "$label" = "$(project_version)" ] || fail "the label of the version is '$label'"
user=$(buildah inspect --format '{{.Docker.Config.User}}' localhost/restheart)
[ "$user" = 1000:1000 ] || fail "the image runs as $user"
uri=${MONGODB_URI:-mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=500}
inside() {
  chroot "$work/root" /usr/bin/bash -c 'cd /opt/restheart && exec "$@"' bash "$@"
}
began=$(date +%s%N)
(
  export RHO="/mclient/connection-string->\"$uri\";/http-listener/host->\"127.0.0.1\";/http-listener/port->$PORT"
  # The root directory is changed before rights are given up, without a process between.
  exec env -i RHO="$RHO" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 setpriv --no-new-privs \
    chroot --userspec=1000:1000 "$work/root" /usr/bin/bash -c 'cd /opt/restheart && exec "$@"' bash "${entry[@]}"
) >"$work/log" 2>&1 &
gateway=$!
for ((i = 0; i < 300; i++)); do
  kill -0 $gateway 2>/dev/null || { cat "$work/log" >&2; fail "the gateway has ended"; }
  ! curl -fs "http://127.0.0.1:$PORT/ping" -o "$work/ping" || break
  sleep 0.1
done
[ -s "$work/ping" ] || { cat "$work/log" >&2; fail "there is no answer to /ping"; }
echo "/ping after $((($(date +%s%N) - began) / 1000000)) ms: $(cut -c 1-60 "$work/ping")…"
if grep -i 'AOT\|shared class' "$work/log"; then fail "the cache of starts is not used"; fi
[ "$(stat -c %u "/proc/$gateway")" = 1000 ] || fail "it does not run as user 1000"
grep -q '^CapEff:\s*0*$' "/proc/$gateway/status" || fail "it has capabilities"
! chroot --userspec=1000:1000 "$work/root" /usr/bin/bash -c ': >/opt/restheart/x' 2>/dev/null || fail "it can write"
status=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT/health/db")
echo "/health/db $status$([ -n "${MONGODB_URI:-}" ] || echo ' (without a MongoDB)')"
[ "$status" = "$([ -n "${MONGODB_URI:-}" ] && echo 200 || echo 503)" ] || fail "/health/db is wrong"
inside /usr/bin/bash health.sh "$PORT" || fail "the health check is wrong"
! inside /usr/bin/bash health.sh 1 2>/dev/null || fail "the health check finds what is not there"
if [ -n "${MONGODB_URI:-}" ]; then
  status=$(curl -s -o /dev/null -w '%{http_code}' -u admin:secret "http://127.0.0.1:$PORT/")
  echo "GET / $status"
fi
kill -TERM $gateway
status=0
wait $gateway || status=$?
gateway=
echo "SIGTERM: exit code $status"
[ $status = 143 ] || [ $status = 0 ] || { cat "$work/log" >&2; fail "it did not end in order"; }
# That MongoDB does not answer is an error; without MONGODB_URI it is meant.
expected=${MONGODB_URI:+none}
if grep -E '^[0-9:.]+ \[[^]]*\] ERROR' "$work/log" | grep -v "${expected:-MongoDB does not answer at 127.0.0.1:1 }"; then
  fail "the log has errors"
fi
echo "good"
