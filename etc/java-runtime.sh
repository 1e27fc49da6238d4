#!/usr/bin/env bash
# Links a Java run time with the modules that a jar uses: etc/java-runtime.sh JAR FOLDER
set -euo pipefail
jar=$1 folder=$2
bin=${JAVA_HOME:+$JAVA_HOME/bin/}

# What classes refer to, but for libraries that are not there (options of others).
# java.desktop is named by classes that do without it (annotations of Java Beans), and is large.
used=$("${bin}jdeps" --ignore-missing-deps --multi-release 25 --print-module-deps "$jar" | sed 's/java\.desktop,//')
# What is found by name, while running: files in the jar, figures of the process, DNS (mongodb+srv://), Kerberos and SASL of MongoDB, keystores
# on hardware, charsets; and what an operator asks a running JVM (jcmd, flight recorder).
found=jdk.zipfs,jdk.management,jdk.naming.dns,java.security.jgss,jdk.security.jgss,java.security.sasl,jdk.crypto.cryptoki,jdk.charsets
asked=jdk.jcmd,jdk.jfr,jdk.management.agent
rm -rf "$folder"
"${bin}jlink" --add-modules "$used,$found,$asked" --strip-java-debug-attributes --no-header-files --no-man-pages \
  --compress=zip-6 --output "$folder"
"$folder/bin/java" --list-modules | tr '\n' ' '
echo
du -sh "$folder"
