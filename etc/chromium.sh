#!/usr/bin/env bash
# Prints the path of a Chromium for the tests of the console. Where there is none it is installed from the distribution, if that
# is possible without asking; else this fails and says what to do.
set -euo pipefail
find_it() {
  local name
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}
find_it && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] && [ -z "${NO_INSTALL:-}" ]; then
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >&2
  find_it && exit
fi
echo "there is no Chromium on the PATH: apt-get install chromium, or chromium-browser" >&2
exit 1
