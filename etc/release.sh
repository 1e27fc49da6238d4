#!/usr/bin/env bash
# Makes the files of a release from the last commit, in dist/: ./dev release [--twice]
#
#   restheart.jar        the same bytes whenever and wherever it is made from the same commit with the same JDK
#   restheart-webhooks-VERSION.jar   a plugin, in the same way
#   restheart.cdx.json   what is in it: a software bill of materials (CycloneDX)
#   THIRD-PARTY.txt      the licenses of what is in it
#   …                    the packages of etc/package.sh: archive, Debian package and, where helm is on the PATH, the chart
#   SHA256SUMS
#
# --twice makes the first four once more, in another folder, and fails if a byte differs. (Packages have a cache of starts, which no
# two runs make alike.)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh
FILES=(core/target/restheart.jar "$(webhooks_jar "$(project_version)")" core/target/restheart.cdx.json core/target/THIRD-PARTY.txt)

twice=false
case ${1:-} in
--twice) twice=true ;;
'') ;;
*) fail "there is no option '$1'" ;;
esac
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: a release is made of a commit"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git rev-parse HEAD)
time=$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd "$commit")

# Makes the files in folder $1, from a clone of their own.
make() {
  git clone -q --no-checkout . "$work/$1-source"
  git -C "$work/$1-source" checkout -q "$commit"
  mkdir "$work/$1"
  (
    cd "$work/$1-source"
    maven -q -B -Pfast,release -Dmaven.test.skip=true "-Dproject.build.outputTimestamp=$time" "-Dbuild.time=$time" \
      -pl core,webhooks -am package
    for file in "${FILES[@]}"; do
      cp "$file" "$work/$1/"
    done
  )
}

make first
if $twice; then
  make second
  for file in "${FILES[@]}"; do
    cmp "$work/first/${file##*/}" "$work/second/${file##*/}" || fail "$file is not the same twice"
  done
  echo "the same twice: ${FILES[*]##*/}"
fi
(cd "$work/first-source" && etc/package.sh >/dev/null)
rm -rf dist
mkdir dist
cp "$work"/first/* "$work"/first-source/dist/* dist/
(cd dist && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
cat dist/SHA256SUMS
