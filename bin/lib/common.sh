# Shared by the programs in bin/: finding the project, a JDK and Maven. POSIX sh; sourced, not run.
# The caller has set `program`, the name it speaks under, and `root`, the folder of the project.

MINIMUM_JDK=25

# What zoid needs, and what Chronicle Queue needs for journals and its channel.
LIBRARY_OPTIONS="--enable-native-access=ALL-UNNAMED"
LIBRARY_OPTIONS="$LIBRARY_OPTIONS --add-exports=java.base/sun.nio.ch=ALL-UNNAMED"
LIBRARY_OPTIONS="$LIBRARY_OPTIONS --add-opens=java.base/java.lang.reflect=ALL-UNNAMED"
LIBRARY_OPTIONS="$LIBRARY_OPTIONS --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED"
LIBRARY_OPTIONS="$LIBRARY_OPTIONS --sun-misc-unsafe-memory-access=allow"

die() {
    echo "$program: $*" >&2
    exit 1
}

# A class path is split at its colons, and nothing quotes one.
case $root in
    *:*) die "The path of the jbmi folder may have no colon: $root" ;;
esac

# Is $1 the home of a JDK that is new enough? Reads its release file and starts nothing.
is_new_jdk() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    feature=
    while IFS= read -r line; do
        case $line in
            JAVA_VERSION=*)
                feature=${line#JAVA_VERSION=}
                feature=${feature#\"}
                feature=${feature%%[!0-9]*}
                ;;
        esac
    done < "$1/release"
    [ -n "$feature" ] && [ "$feature" -ge "$MINIMUM_JDK" ]
}

# The home of the `java` on the path, or nothing.
jdk_on_path() {
    found=$(command -v java 2> /dev/null) || return 0
    found=$(readlink -f "$found" 2> /dev/null) || return 0
    echo "${found%/bin/java}"
}

# Sets `jdk`: JAVA_HOME, then the path and what lies beside that JDK, since an older one may come
# first there, then where installers put JDKs. The build looks there too.
find_jdk() {
    on_path=$(jdk_on_path)
    beside=${on_path%/*}
    for jdk in \
        "${JAVA_HOME:-}" \
        "$on_path" \
        ${beside:+"$beside"/*} \
        /usr/lib*/jvm/* \
        /usr/java/* \
        /usr/local/java/* \
        /opt/* \
        /opt/java/* \
        "${HOME:-}"/.sdkman/candidates/java/* \
        "${HOME:-}"/.jdks/* \
        "${HOME:-}"/.local/share/mise/installs/java/* \
        "${HOME:-}"/.asdf/installs/java/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
        if is_new_jdk "$jdk"; then
            return 0
        fi
    done
    jdk=
    die "No JDK $MINIMUM_JDK or later was found: install one, or set JAVA_HOME to its folder."
}

require_maven() {
    command -v mvn > /dev/null 2>&1 || die "Maven is needed to build jbmi: put mvn on the path."
}

# Runs Maven on the project, and on the JDK that we found, so that the build finds the same one.
# Maven's own libraries do what that JDK warns of, which is nothing to tell our users.
run_maven() {
    JAVA_HOME=$jdk MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow \
        --enable-native-access=ALL-UNNAMED ${MAVEN_OPTS:-}" \
        mvn -f "$root/pom.xml" "$@" < /dev/null
}
