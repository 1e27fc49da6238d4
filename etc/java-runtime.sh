#!/usr/bin/env bash
# Links a Java run time with the modules that a jar uses: etc/java-runtime.sh [--quick] JAR FOLDER
#
# --quick neither looks for modules that are missing in the list below, nor compresses: a third of the time.
set -euo pipefail
quick=false
if [ "$1" = --quick ]; then
  quick=true
  shift
fi
jar=$1 folder=$2
bin=${JAVA_HOME:+$JAVA_HOME/bin/}

# What classes refer to. java.desktop is named by classes that do without it (annotations of Java Beans), and is large.
used=java.base,java.naming,java.net.http,java.security.jgss,java.security.sasl,java.sql,jdk.management,jdk.unsupported
# What is found by name, while running: files in the jar, DNS (mongodb+srv://), Kerberos, keystores on hardware, charsets.
found=jdk.zipfs,jdk.naming.dns,jdk.security.jgss,jdk.crypto.cryptoki,jdk.charsets
# What an operator asks a running JVM (jcmd, flight recorder).
asked=jdk.jcmd,jdk.jfr,jdk.management.agent
compression=zip-0
if ! $quick; then
  compression=zip-6
  # Libraries that are not there are options of others.
  named=$("${bin}jdeps" --ignore-missing-deps --multi-release 25 --print-module-deps "$jar")
  missing=$(comm -23 <(tr ',' '\n' <<<"$named" | sort) <(tr ',' '\n' <<<"$used,java.desktop" | sort))
  if [ -n "$missing" ]; then
    echo "java-runtime: the jar needs modules that are not listed here: $missing" >&2
    exit 1
  fi
fi
rm -rf "$folder"
"${bin}jlink" --add-modules "$used,$found,$asked" --strip-java-debug-attributes --no-header-files --no-man-pages \
  --compress="$compression" --output "$folder"
"$folder/bin/java" --list-modules | tr '\n' ' '
echo
du -sh "$folder"
