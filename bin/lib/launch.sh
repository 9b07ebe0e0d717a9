# Builds what is missing or stale, then becomes the Java program. POSIX sh; sourced, not run.
# After common.sh; the caller has called find_jdk.

JAVA_OPTIONS="$LIBRARY_OPTIONS -XX:+UseSerialGC"
BUILD_WAIT_SECONDS=900

# Everything that belongs to launching; gone with `mvn clean`.
launch_paths() {
    launch=$root/bmi-tools/target/launch
    class_path_file=$launch/class-path
    stamp=$launch/built
    lock=$launch/lock
    build_log=$launch/build.log
    cache=$launch/aot-cache
    cache_key=$launch/aot-cache.key
}

# Is something of the files given newer than both the last build of ours and another file? A folder
# counts too, since its time tells of a file that went away.
is_newer_than() {
    built=$1
    shift
    if [ -f "$stamp" ]; then
        set -- "$@" -newer "$stamp"
    fi
    [ -n "$(find "$@" -newer "$built" -print 2> /dev/null | head -n 1)" ]
}

# Has a module that the command line is made of changed since its jar was made, by us or by any
# other run of Maven? After read_class_path.
sources_changed() {
    is_newer_than "$root/bmi-tools/target/bmi-tools-$version.jar" "$root/pom.xml" && return 0
    for module in "$root"/*/; do
        name=${module%/}
        name=${name##*/}
        jar=${module}target/$name-$version.jar
        case :$class_path: in
            *":$jar:"*)
                is_newer_than "$jar" "${module}pom.xml" "${module}src/main" && return 0
                ;;
        esac
    done
    return 1
}

# Sets `class_path` from a file that Maven wrote, and `version`. Jars of modules are those of this
# checkout, which may have been copied or moved since the file was written. Fails if one is missing.
read_jars() {
    [ -f "$1" ] || return 1
    class_path=
    IFS= read -r class_path < "$1" || [ -n "$class_path" ] || return 1
    case $class_path in
        */bmi-api/target/bmi-api-*.jar*) ;;
        *) return 1 ;;
    esac
    # All modules bear one version.
    version=${class_path#*/bmi-api/target/bmi-api-}
    version=${version%%.jar*}
    written_in=${class_path%%/bmi-api/target/*}
    written_in=${written_in##*:}
    jars=$class_path
    class_path=
    complete=true
    old_ifs=$IFS
    IFS=:
    set -f
    for jar in $jars; do
        case $jar in
            "$written_in"/*/target/*) jar=$root/${jar#"$written_in"/} ;;
        esac
        [ -f "$jar" ] || complete=false
        class_path=${class_path:+$class_path:}$jar
    done
    set +f
    IFS=$old_ifs
    $complete
}

# Sets `class_path` of the command line, and `version`; fails if something is missing.
read_class_path() {
    read_jars "$class_path_file" || return 1
    tools=$root/bmi-tools/target/bmi-tools-$version.jar
    class_path=$tools:$class_path
    [ -f "$tools" ]
}

is_built() {
    read_class_path && ! sources_changed
}

# Runs a function while no other launch does. Where there is flock the lock goes with its holder.
with_lock() {
    mkdir -p "$launch" || die "The folder $launch cannot be made."
    if command -v flock > /dev/null 2>&1; then
        exec 9> "$lock"
        flock -w "$BUILD_WAIT_SECONDS" 9 \
            || die "Another launch has been building for $BUILD_WAIT_SECONDS seconds; giving up."
        "$@"
        exec 9>&-
    else
        waited=0
        until mkdir "$lock.d" 2> /dev/null; do
            [ "$waited" -lt "$BUILD_WAIT_SECONDS" ] \
                || die "Another launch seems to be building; if none is, remove $lock.d."
            sleep 1
            waited=$((waited + 1))
        done
        trap 'rmdir "$lock.d"' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM HUP
        "$@"
        rmdir "$lock.d"
        trap - EXIT INT TERM HUP
    fi
}

build() {
    # Somebody else may have built while we waited for the lock.
    is_built && return 0
    require_maven
    echo "$program: building (the first time takes a minute or more) ..." >&2
    : > "$stamp.new"
    if ! run_maven -B -q -pl bmi-tools -am -Dmaven.test.skip=true package > "$build_log" 2>&1; then
        tail -n 40 "$build_log" >&2
        die "The build failed; all of its output is in $build_log."
    fi
    mv "$stamp.new" "$stamp"
    read_class_path || die "The build made no class path; its output is in $build_log."
}

# Does the cache of loaded classes fit this JDK and these jars? The JVM checks again by itself.
cache_fits() {
    [ -f "$cache" ] && [ -f "$cache_key" ] && [ ! "$class_path_file" -nt "$cache" ] || return 1
    IFS= read -r key < "$cache_key"
    [ "$key" = "$jdk $root" ] && [ ! "$jdk/release" -nt "$cache" ] || return 1
    old_ifs=$IFS
    IFS=:
    set -f
    fits=true
    for jar in $class_path; do
        [ "$jar" -nt "$cache" ] && fits=false
    done
    set +f
    IFS=$old_ifs
    $fits
}

# Start-up takes half the time with a cache; without one everything works as well.
make_cache() {
    cache_fits && return 0
    rm -f "$cache" "$cache.new" "$cache_key"
    # shellcheck disable=SC2086 # options are words
    if "$jdk/bin/java" $JAVA_OPTIONS -XX:AOTCacheOutput="$cache.new" -Xlog:disable \
        -cp "$class_path" org.jbmi.tools.BmiMain info > /dev/null 2>&1 < /dev/null \
        && [ -f "$cache.new" ]; then
        mv "$cache.new" "$cache"
    else
        rm -f "$cache.new"
        # Not to be tried at every start: an empty cache fits, and is not used.
        : > "$cache"
    fi
    echo "$jdk $root" > "$cache_key"
}

# What only prints is over before the optimizing compiler has paid for itself.
choose_compiler() {
    case " $* " in
        "  " | " info "* | *" -h "* | *" --help "* | *" -V "* | *" --version "*)
            JAVA_OPTIONS="$JAVA_OPTIONS -XX:TieredStopAtLevel=1"
            ;;
    esac
}

# Does the command line ask for what only the benchmarks' module has?
wants_benchmarks() {
    case " $* " in
        *" perf "*aeron*) return 0 ;;
        *" perf "*"--table "*) return 0 ;;
    esac
    return 1
}

# Puts the benchmarks' classes and libraries on the class path, building them first.
add_benchmarks() {
    module=$root/bmi-benchmarks
    benchmarks=$module/target
    if ! read_jars "$benchmarks/class-path" || [ ! -d "$benchmarks/classes" ] \
        || [ -n "$(find "$module/pom.xml" "$module/src/main" -newer "$benchmarks/class-path" \
            -print | head -n 1)" ]; then
        require_maven
        echo "$program: building the benchmarks ..." >&2
        if ! run_maven -B -q -pl bmi-benchmarks -am -Dmaven.test.skip=true package \
            > "$build_log" 2>&1; then
            tail -n 40 "$build_log" >&2
            die "The build failed; all of its output is in $build_log."
        fi
        touch "$benchmarks/class-path" "$stamp"
        read_jars "$benchmarks/class-path" || die "The build made no class path."
    fi
    class_path=$benchmarks/classes:$class_path
}

# launch MAIN ARGUMENT...
launch() {
    main=$1
    shift
    launch_paths
    is_built || with_lock build
    if wants_benchmarks "$@"; then
        with_lock add_benchmarks
        exec "$jdk/bin/java" $JAVA_OPTIONS -cp "$class_path" "$main" "$@"
    fi
    cache_fits || with_lock make_cache
    choose_compiler "$@"
    # Behind our own, so that the cache still fits.
    class_path=$class_path${JBMI_CLASS_PATH:+:$JBMI_CLASS_PATH}
    if [ -s "$cache" ]; then
        exec "$jdk/bin/java" $JAVA_OPTIONS -XX:AOTCache="$cache" -Xlog:disable \
            "-Xlog:all=error,aot*=off,cds*=off:stderr" \
            -Dorg.jbmi.tools.aotCache="$cache" -cp "$class_path" "$main" "$@"
    fi
    exec "$jdk/bin/java" $JAVA_OPTIONS -cp "$class_path" "$main" "$@"
}
