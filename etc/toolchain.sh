# Finds what the scripts need; to be sourced by bash from the project's folder. Prints nothing on success.

# A JDK of this version or newer builds and runs RESTHeart.
REQUIRED_JAVA=25

fail() {
  echo "${0##*/}: $1" >&2
  exit 1
}

# Waits until the server at $1 answers, which process $2 builds and starts and whose log is $3. On a busy machine a build
# takes many minutes; after half an hour it is given up.
await_server() {
  local waited=0
  until curl -fs "$1" >/dev/null; do
    kill -0 "$2" 2>/dev/null || { cat "$3"; fail "the server has ended"; }
    [ $((waited += 1)) -lt 1800 ] || { cat "$3"; fail "the server does not answer at $1"; }
    sleep 1
  done
}

# Makes the folder $scratch, which goes when the script ends, after the process $gateway.
use_scratch() {
  scratch=$(mktemp -d)
  gateway=''
  trap finish EXIT
}

finish() {
  if [ -n "$gateway" ]; then
    kill "$gateway" 2>/dev/null && { wait "$gateway" 2>/dev/null || true; } # its status is that of the signal
  fi
  rm -rf "$scratch"
}

# Starts a gateway on port $1 with a MongoDB of its own; further arguments are options of the JVM. Sets $url, $gateway.
start_gateway() {
  url=http://127.0.0.1:$1
  "$JAVA_HOME/bin/java" "${@:2}" @etc/jvm.options -jar "$JAR" --port "$1" "--embedded-mongo=$scratch/data" \
    >"$scratch/log" 2>&1 &
  gateway=$!
  await_server "$url/ping" "$gateway" "$scratch/log"
}

# The major version of the JDK in folder $1, from the file that every JDK has; nothing when there is none.
jdk_version() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$1/release"
}

# Folders that may hold a JDK, the most deliberate choice first.
jdk_candidates() {
  [ -z "${JAVA_HOME:-}" ] || echo "$JAVA_HOME"
  local javac
  javac=$(command -v javac || true)
  if [ -n "$javac" ]; then
    javac=$(readlink -f "$javac" 2>/dev/null || echo "$javac")
    echo "${javac%/bin/javac}"
  fi
  [ ! -x /usr/libexec/java_home ] || /usr/libexec/java_home -v "$REQUIRED_JAVA+" 2>/dev/null || true
  local folder
  for folder in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/*jdk* /opt/* /opt/java/* \
    "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* "$HOME"/.asdf/installs/java/* \
    "$HOME"/.local/share/mise/installs/java/* "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
    [ ! -d "$folder" ] || echo "$folder"
  done
}

# Sets and exports JAVA_HOME.
need_jdk() {
  local folder version
  while IFS= read -r folder; do
    version=$(jdk_version "$folder")
    if [ -n "$version" ] && [ "$version" -ge "$REQUIRED_JAVA" ]; then
      export JAVA_HOME=$folder
      return
    fi
  done < <(jdk_candidates)
  fail "no JDK $REQUIRED_JAVA or newer found: install one (such as Eclipse Temurin, https://adoptium.net) or set JAVA_HOME to it"
}

# Installs Debian's package $1 if that is possible without asking; NO_INSTALL=1 forbids it. One process at a time: where
# apt keeps no downloaded packages, as in Debian's images, `apt-get update` deletes those that another process installs.
install_package() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] && [ -z "${NO_INSTALL:-}" ] || return 1
  local get=(apt-get -qq -o DPkg::Lock::Timeout=600)
  (
    flock 9
    export DEBIAN_FRONTEND=noninteractive
    "${get[@]}" install -y --no-install-recommends "$1" ||
      { "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "$1"; }
  ) 9>/tmp/restheart-install.lock >&2
}

need_maven() {
  command -v mvn >/dev/null ||
    fail "no mvn found: install Maven 3.8 or newer (Debian, Ubuntu: apt-get install maven; macOS: brew install maven)"
}

# Runs Maven, after showing how: the same command works without these scripts.
maven() {
  need_jdk
  need_maven
  echo "+ JAVA_HOME=$JAVA_HOME mvn $*" >&2
  mvn "$@"
}

JAR=core/target/restheart.jar

# The plugin's jar, of the version $1.
webhooks_jar() {
  echo "webhooks/target/restheart-webhooks-$1.jar"
}

# The version of the build; ./dev version writes it, and a test compares the others with it.
project_version() {
  sed -n 's|.*<revision>\(.*\)</revision>.*|\1|p' pom.xml
}

# Whether the jar is missing or older than anything it is made of; of etc only the built-in configuration is in it.
jar_outdated() {
  [ ! -e "$JAR" ] || [ -n "$(find pom.xml etc/restheart.yml ./*/pom.xml ./*/src/main -type f -newer "$JAR" -print 2>/dev/null |
    head -n 1)" ]
}

build_jar() {
  maven -q -B -Pfast -DskipTests -pl core,webhooks -am package
}
