#!/usr/bin/env bash
# Tries the readers of JSON and the JSON Schemas by public corpora, and prints how many of their cases hold: ./dev corpora
#
# They come in source archives of Python packages, with pip, and are kept in .cache/corpora: the JSON-Schema-Test-Suite (MIT) in
# that of jsonschema, the BSON corpus of MongoDB's drivers (Apache License 2.0) in that of pymongo.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=etc/toolchain.sh
source etc/toolchain.sh

corpora=$PWD/.cache/corpora
for package in jsonschema-4.23.0 pymongo-4.20.1; do
  if [ ! -d "$corpora/$package" ]; then
    echo "corpora: fetching the source of $package" >&2
    mkdir -p "$corpora"
    python3 -m pip -q download --no-deps --no-binary :all: -d "$corpora" "${package/-/==}"
    tar -xzf "$corpora/$package.tar.gz" -C "$corpora"
  fi
done
./test BsonCorpusTest "-Dcorpora=$corpora"
exec ./test SchemaSuiteTest "-Dcorpora=$corpora"
