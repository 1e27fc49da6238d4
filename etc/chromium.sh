#!/usr/bin/env bash
# Prints the path of a Chromium for the tests of the console. Where there is none it is installed from the distribution, if that
# is possible without asking; else this fails and says what to do. The one without a screen takes less of the processors.
set -euo pipefail
# shellcheck source=etc/toolchain.sh
source "$(dirname "$0")/toolchain.sh"
find_it() {
  local name
  for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}
find_it && exit
if install_package chromium-headless-shell || install_package chromium; then
  find_it && exit
fi
echo "there is no Chromium on the PATH: apt-get install chromium, or chromium-browser" >&2
exit 1
