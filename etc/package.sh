#!/usr/bin/env bash
# Makes packages of core/target/restheart.jar, in dist/: ./dev package [--try]
#
#   restheart-VERSION-linux-x64.tar.gz   the gateway with its own Java: unpack it and start bin/restheart
#   restheart_VERSION_amd64.deb          the same for Debian and Ubuntu, with a unit of systemd
#   restheart-VERSION.tgz                a Helm chart, where helm is on the PATH
#
# They are made for this machine's processor (x64 or arm64) and hold the Java of the JDK that makes them.
# The archive is unpacked elsewhere, started with a MongoDB of its own, and asked for a document. --try makes it only, quickly and without
# compression.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh
need_jdk
version=$(project_version)
case $(uname -m) in
x86_64) architecture=x64 debian=amd64 ;;
aarch64) architecture=arm64 debian=arm64 ;;
*) fail "there are packages for x64 and arm64 only, not for $(uname -m)" ;;
esac
try=false
case ${1:-} in
--try) try=true ;;
'') ;;
*) fail "there is no option '$1'" ;;
esac
webhooks=$(webhooks_jar "$version")
if jar_outdated || [ ! -e "$webhooks" ]; then build_jar; fi

work=$(mktemp -d)
gateway=
finish() {
  [ -z "$gateway" ] || { kill "$gateway" && wait "$gateway"; } 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
name=restheart-$version
home=$work/$name

# The folder that all packages hold.
mkdir -p "$home/bin" "$home/lib" "$home/etc" "$home/plugins-available"
quick=()
if $try; then quick=(--quick); fi
etc/java-runtime.sh "${quick[@]}" "$JAR" "$home/runtime" >/dev/null
cp "$JAR" etc/jvm.options "$home/lib/"
cp "$webhooks" "$home/plugins-available/" # not loaded from there
cp etc/restheart.yml etc/users.yml etc/acl.yml etc/package/restheart.service etc/package/overrides.yml "$home/etc/"
cp LICENSE CHANGELOG.md "$home/"
if [ -e core/target/THIRD-PARTY.txt ]; then cp core/target/THIRD-PARTY.txt "$home/"; fi
install -m 755 etc/package/restheart "$home/bin/restheart"
# Archives keep whole seconds, and the JVM refuses the cache of a file whose time differs.
find "$home" -exec touch -d "@$(date +%s)" {} +
trained=("--embedded-mongo=$work/trained")
if $try; then trained=(--mongo 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50'); fi
etc/aot-cache.sh "$home/runtime/bin/java" "$home/lib/jvm.options" "$home/lib/restheart.jar" "$home/lib/restheart.aot" "${trained[@]}"
chmod -R u=rwX,go=rX "$home"

# Starts the archive $1 elsewhere than it was made, as somebody does who has neither JDK nor Maven.
try() {
  mkdir "$work/elsewhere"
  tar -C "$work/elsewhere" -xf "$1"
  env -i HOME="$HOME" PATH=/usr/bin:/bin ${MONGODB_URI:+MONGODB_URI="$MONGODB_URI"} \
    "$work/elsewhere/$name/bin/restheart" --port 0 "--embedded-mongo=$work/data" >"$work/log" 2>&1 &
  gateway=$!
  local port=
  for ((i = 0; i < 600 && ${#port} == 0; i++)); do
    kill -0 $gateway 2>/dev/null || { cat "$work/log" >&2; fail "the gateway has ended"; }
    sleep 0.1
    port=$(sed -n 's|.*ready at http://[^ ]*:\([0-9]*\) .*|\1|p' "$work/log")
  done
  local url=http://127.0.0.1:$port
  curl -fsS -u admin:secret -X PUT "$url/books"
  curl -fsS -u admin:secret "$url/books" -H 'Content-Type: application/json' -d '{"_id": "emma", "year": 1815}'
  curl -fsS -u admin:secret "$url/books/emma" | grep -q '"year": 1815' || fail "the document does not come back"
  curl -fsS "$url/ping" | grep -qF "\"$version\"" || fail "/ping does not name the version $version"
  if grep -i 'AOT\|shared class' "$work/log"; then fail "the cache of starts is not used"; fi
  kill -TERM $gateway
  local status=0
  wait $gateway || status=$?
  gateway=
  [ $status = 143 ] || { cat "$work/log" >&2; fail "it did not end in order, but with $status"; }
}

if $try; then
  tar -C "$work" -cf "$work/packed.tar" "$name"
  try "$work/packed.tar"
  echo "package: $name-linux-$architecture starts, stores a document and ends in order"
  exit
fi

mkdir -p dist
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -czf "dist/$name-linux-$architecture.tar.gz" "$name"
try "dist/$name-linux-$architecture.tar.gz"

# The Debian package. A tilde comes before everything else, so that 1.0.0~rc.1 is older than 1.0.0.
root=$work/debian
mkdir -p "$root"/usr/{bin,lib/systemd/system,share/doc/restheart} "$root/etc/restheart" "$root/DEBIAN"
cp -a "$home" "$root/usr/lib/restheart"
rm -r "$root/usr/lib/restheart/etc"
mv "$root/usr/lib/restheart"/{LICENSE,CHANGELOG.md} "$root/usr/share/doc/restheart/"
mv "$root/usr/share/doc/restheart/LICENSE" "$root/usr/share/doc/restheart/copyright"
cp etc/restheart.yml "$root/usr/share/doc/restheart/"
ln -s ../lib/restheart/bin/restheart "$root/usr/bin/restheart"
cp etc/package/restheart.service "$root/usr/lib/systemd/system/"
install -m 640 etc/package/overrides.yml "$root/etc/restheart/overrides.yml"
echo /etc/restheart/overrides.yml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  install -m 755 "etc/package/$script" "$root/DEBIAN/"
done
cat >"$root/DEBIAN/control" <<CONTROL
Package: restheart
Version: ${version/-/\~}
Architecture: $debian
Maintainer: RESTHeart
Installed-Size: $(du -sk --apparent-size "$root" | cut -f 1)
Depends: adduser, libc6 (>= 2.28)
Recommends: systemd
Section: database
Priority: optional
Description: REST gateway for MongoDB
 RESTHeart serves the collections of a MongoDB deployment over HTTP, with access
 rules, change streams, files, transactions and GraphQL. This package has its
 own Java runtime. It needs a MongoDB deployment, which is not part of it.
CONTROL
dpkg-deb --root-owner-group -Zxz -z2 --build "$root" "dist/restheart_${version/-/\~}_$debian.deb" >/dev/null

if command -v helm >/dev/null; then
  helm package --version "$version" --app-version "$version" --destination dist etc/helm/restheart >/dev/null
else
  echo "left out: there is no helm here, so the chart is not packaged" >&2
fi
ls -l dist
