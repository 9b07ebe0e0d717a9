# Builds what is missing or stale, then becomes the Java program. POSIX sh; sourced, not run.
# After common.sh; the caller has called find_jdk.

JAVA_OPTIONS="$LIBRARY_OPTIONS -XX:+UseSerialGC"
BUILD_WAIT_SECONDS=900

# Sets `parts`, the modules that a command line needs: that of the programs, the one that brings the
# command, Aeron where it is to be measured, and Chronicle Queue where it is to be measured or
# checked, or a daemon or a server may be asked for it. Without a command all commands are shown, so
# all modules that bring one are needed.
choose_parts() {
    parts=bmi-tools
    command=
    for word in "$@"; do
        case $word in
            -V | --version) return 0 ;;
            -*) ;;
            *)
                command=$word
                break
                ;;
        esac
    done
    while read -r owner name module; do
        if [ "$owner" = "$program" ] && { [ -z "$command" ] || [ "$name" = "$command" ]; }; then
            case " $parts " in
                *" $module "*) ;;
                *) parts="$parts $module" ;;
            esac
        fi
    done < "$root/bmi-tools/src/main/resources/org/jbmi/tools/cli/further-commands.txt"
    case "$program:$command $* " in
        bmi:perf*aeron* | "bmi:perf "*" --table "*) parts="$parts bmi-benchmarks" ;;
    esac
    case "$program:$command $* " in
        bmi:perf*chronicle* | bmi:perf*zbmi.journal*) parts="$parts zbmi-channel-chronicle" ;;
    esac
    case $program:$command in
        bmi:doctor | zbmi:serve | zbmi:journal | zbmi:replay | zoid:serve | zoidfs:serve)
            parts="$parts zbmi-channel-chronicle"
            ;;
    esac
}

# Everything that belongs to launching; gone with `mvn clean`. After choose_parts.
launch_paths() {
    launch=$root/bmi-tools/target/launch
    # Each choice of parts has a stamp: a build of some parts says nothing of the others.
    stamp=$launch/built-$(echo "$parts" | tr ' ' '+')
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

# Has a module of the class path changed since its jar was made, by us or by any
# other run of Maven? After read_class_path.
sources_changed() {
    is_newer_than "$root/bmi-tools/target/bmi-tools-$version.jar" "$root/pom.xml" && return 0
    for module in "$root"/*/; do
        name=${module%/}
        name=${name##*/}
        jar=${module}target/$name-$version.jar
        case :$class_path: in
            *":$jar:"*)
                # The simulator is made of what other modules have in src/simulated, too.
                is_newer_than "$jar" "${module}pom.xml" "${module}src/main" \
                    "${module}src/simulated" && return 0
                ;;
        esac
    done
    return 1
}

# Is there a file of this name? If not, `missing` is its name, unless another one was missing before.
is_there() {
    [ -f "$1" ] && [ -r "$1" ] && return 0
    missing=${missing:-$1}
    return 1
}

# Sets `class_path` from a file that Maven wrote, and `version`. Jars of modules are those of this
# checkout, which may have been copied or moved since the file was written. Fails if one is missing,
# or lies in a folder that this user may not enter, and sets `missing` to the first such file.
read_jars() {
    is_there "$1" || return 1
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
    old_ifs=$IFS
    IFS=:
    set -f
    for jar in $jars; do
        case $jar in
            "$written_in"/*/target/*) jar=$root/${jar#"$written_in"/} ;;
        esac
        is_there "$jar"
        class_path=${class_path:+$class_path:}$jar
    done
    set +f
    IFS=$old_ifs
    [ -z "$missing" ]
}

# Sets `class_path` of the parts, and `version`; fails if something is `missing`. The jars of the
# first part come first, as `tools_path` has them, so that the cache of its classes fits.
read_class_path() {
    missing=
    parts_path=
    for part in $parts; do
        read_jars "$root/$part/target/launch/class-path" || return 1
        own=$root/$part/target/$part-$version.jar
        is_there "$own" || return 1
        part_path=$own:$class_path
        if [ -z "$parts_path" ]; then
            parts_path=$part_path
            tools_path=$part_path
            continue
        fi
        old_ifs=$IFS
        IFS=:
        set -f
        for jar in $part_path; do
            case :$parts_path: in
                *":$jar:"*) ;;
                *) parts_path=$parts_path:$jar ;;
            esac
        done
        set +f
        IFS=$old_ifs
    done
    class_path=$parts_path
}

is_built() {
    read_class_path && ! sources_changed
}

# Can this user build, and make the cache? In a checkout of somebody else, perhaps not.
may_lock() {
    mkdir -p "$launch" 2> /dev/null && [ -w "$launch" ] && (: >> "$lock") 2> /dev/null
}

# Runs a function while no other launch does. Where there is flock the lock goes with its holder.
with_lock() {
    if ! may_lock; then
        why=${missing:+", since $missing is not there or may not be read"}
        die "The jars must be built$why, but this user may not write $lock."
    fi
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
    echo "$program: building (the first time takes half a minute) ..." >&2
    : > "$stamp.new"
    modules=$(echo "$parts" | tr ' ' ',')
    set -- -B -q -T 1C -pl "$modules" -am -Dmaven.test.skip=true
    if ! run_maven "$@" package > "$build_log" 2>&1; then
        tail -n 40 "$build_log" >&2
        die "The build failed; all of its output is in $build_log."
    fi
    mv "$stamp.new" "$stamp"
    read_class_path || die "The build made no class path; its output is in $build_log."
}

# Does the cache of loaded classes fit this JDK and these jars? The JVM checks again by itself.
cache_fits() {
    [ -f "$cache" ] && [ -f "$cache_key" ] && [ ! "$launch/class-path" -nt "$cache" ] || return 1
    IFS= read -r key < "$cache_key"
    [ "$key" = "$jdk $root" ] && [ ! "$jdk/release" -nt "$cache" ] || return 1
    old_ifs=$IFS
    IFS=:
    set -f
    fits=true
    for jar in $tools_path; do
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
        -cp "$tools_path" org.jbmi.tools.BmiMain info > /dev/null 2>&1 < /dev/null \
        && [ -f "$cache.new" ]; then
        mv "$cache.new" "$cache"
    else
        rm -f "$cache.new"
        # Not to be tried at every start: an empty cache fits, and is not used.
        : > "$cache"
    fi
    echo "$jdk $root" > "$cache_key"
}

# What only prints is over before the optimizing compiler has paid for itself. Words after "--" are
# those of another program. After choose_parts.
choose_compiler() {
    prints=false
    case $command in
        "" | info) prints=true ;;
    esac
    for word in "$@"; do
        case $word in
            -h | --help | -V | --version) prints=true ;;
            --) break ;;
        esac
    done
    if $prints; then
        JAVA_OPTIONS="$JAVA_OPTIONS -XX:TieredStopAtLevel=1"
    fi
}

# The plug-in unix knows many errors only by the system's words for them, and knows these in English.
# LC_ALL would override the language of messages; all else, such as the names of files, stays as it
# was. Other commands start programs of the user, and leave them what they have. After choose_parts.
choose_language() {
    [ "$program:$command" = zoid:serve ] || return 0
    if [ -n "${LC_ALL:-}" ]; then
        LANG=$LC_ALL
        LC_CTYPE=$LC_ALL
        export LANG LC_CTYPE
        unset LC_ALL
    fi
    LC_MESSAGES=C
    export LC_MESSAGES
}

# launch MAIN ARGUMENT...
launch() {
    main=$1
    shift
    choose_parts "$@"
    launch_paths
    is_built || with_lock build
    cache_fits || { may_lock && with_lock make_cache; } || cache=
    choose_compiler "$@"
    choose_language
    # Behind our own, so that the cache still fits.
    class_path=$class_path${JBMI_CLASS_PATH:+:$JBMI_CLASS_PATH}
    if [ -s "$cache" ]; then
        exec "$jdk/bin/java" $JAVA_OPTIONS -XX:AOTCache="$cache" -Xlog:disable \
            "-Xlog:all=error,aot*=off,cds*=off:stderr" \
            -Dorg.jbmi.tools.aotCache="$cache" -cp "$class_path" "$main" "$@"
    fi
    exec "$jdk/bin/java" $JAVA_OPTIONS -cp "$class_path" "$main" "$@"
}
