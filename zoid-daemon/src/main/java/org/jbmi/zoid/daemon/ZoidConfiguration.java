package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the settings of a server from variables with the names of ZOID's configuration file. They
 * come from a file in the form of a shell script, the environment, or options of a program.
 */
public final class ZoidConfiguration {
    /** Sizes of the buffers in bytes: small, or small:large. */
    public static final String BUFFER_SIZE = "ZOID_BUFFER_SIZE";

    /** Above how many packets of 240 bytes a message waits for its turn; 0 for never. */
    public static final String ACK_THRESHOLD = "ZOID_ACK_THRESHOLD";

    /** The plug-ins to load, separated by colons. */
    public static final String MODULES = "ZOID_MODULES";

    /** Whether address translation is wanted for every job: 0 or 1. */
    public static final String ENABLE_NAT = "ZOID_ENABLE_NAT";

    /** The program that runs before and after a job. */
    public static final String USER_SCRIPT = "ZOID_USER_SCRIPT";

    /** How long that program may run, in seconds. */
    public static final String SCRIPT_SECONDS = "ZOID_SCRIPT_SECONDS";

    /** The program that sets up the account of a job's owner; its argument is the user's number. */
    public static final String PASSWD_SCRIPT = "ZOID_PASSWD_SCRIPT";

    /** The program that enables address translation. */
    public static final String NAT_SCRIPT = "ZOID_NAT_SCRIPT";

    /** How much memory of one plug-in calls may use at a time, in bytes. */
    public static final String USERBUF_QUOTA = "ZOID_USERBUF_QUOTA";

    /** Whether plug-ins may be loaded and unloaded while the server runs: 0 or 1. */
    public static final String LIVE_MODULES = "ZOID_LIVE_MODULES";

    /**
     * Settings of plug-ins, for example {@code unix.root=/data}, separated by colons. A colon
     * before anything but a name and {@code =} belongs to the value.
     */
    public static final String SETTINGS = "ZOID_SETTINGS";

    private static final Set<String> KNOWN =
            Set.of(
                    BUFFER_SIZE,
                    ACK_THRESHOLD,
                    MODULES,
                    ENABLE_NAT,
                    USER_SCRIPT,
                    SCRIPT_SECONDS,
                    PASSWD_SCRIPT,
                    NAT_SCRIPT,
                    USERBUF_QUOTA,
                    LIVE_MODULES,
                    SETTINGS);
    private static final List<String> USUAL_MODULES = List.of("unix", "mapping");
    private static final Pattern ASSIGNMENT =
            Pattern.compile(
                    "(?:export\\s+)?(\\w+)=(?:\"([^\"]*)\"|'([^']*)'|([^\\s\"'#]*))\\s*(?:#.*)?");

    /** A colon before a name and {@code =}, or at the end; addresses have other colons. */
    private static final Pattern SEPARATOR = Pattern.compile(":(?=\\w+\\.[\\w.]+=|$)");

    private static final Pattern MODULE_FILE =
            Pattern.compile("(?:.*/)?(.+?)(?:_impl|_preload)?(?:\\.so)?");

    private ZoidConfiguration() {}

    /**
     * Reads a file.
     *
     * @param file lines like {@code ZOID_BUFFER_SIZE=4096:4195328}, comments, and empty lines
     * @return the variables
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException for a line that is none of these; it names the line
     */
    public static Map<String, String> read(Path file) throws IOException {
        Map<String, String> variables = new LinkedHashMap<>();
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            Matcher found = ASSIGNMENT.matcher(text);
            if (!found.matches()) {
                throw new IllegalArgumentException(
                        file + ":" + number + ": a line is NAME=value or a comment.");
            }
            if (!KNOWN.contains(found.group(1))) {
                throw new IllegalArgumentException(
                        file + ":" + number + ": there is no variable " + found.group(1) + ".");
            }
            variables.put(found.group(1), value(found));
        }
        return variables;
    }

    private static String value(Matcher found) {
        for (int group = 2; group < found.groupCount(); group++) {
            if (found.group(group) != null) {
                return found.group(group);
            }
        }
        return String.valueOf(found.group(found.groupCount()));
    }

    /**
     * Keeps the variables that are meant for a server.
     *
     * @param environment all variables of a process
     * @return those that are known here
     */
    public static Map<String, String> ofEnvironment(Map<String, String> environment) {
        Map<String, String> variables = new TreeMap<>(environment);
        variables.keySet().retainAll(KNOWN);
        return variables;
    }

    /**
     * Makes settings of variables.
     *
     * @param variables the variables; missing ones have their defaults
     * @param home the home of the user, for the default script; null for none
     * @return settings
     * @throws IllegalArgumentException for a bad value; the message names the variable
     */
    public static ZoidSettings settings(Map<String, String> variables, @Nullable Path home) {
        ZoidSettings settings = ZoidSettings.defaults().withModules(modules(variables));
        String[] sizes = variables.getOrDefault(BUFFER_SIZE, "4096:4195328").split(":", -1);
        if (sizes.length > 2) {
            throw bad(BUFFER_SIZE, variables, "is small or small:large, in bytes");
        }
        int small = (int) number(BUFFER_SIZE, sizes[0], Integer.MAX_VALUE);
        int large = sizes.length == 1 ? 0 : (int) number(BUFFER_SIZE, sizes[1], Integer.MAX_VALUE);
        String threshold = variables.getOrDefault(ACK_THRESHOLD, "0");
        settings =
                settings.withBuffers(small, large)
                        .withThreshold((int) number(ACK_THRESHOLD, threshold, Integer.MAX_VALUE));
        long quota =
                number(
                        USERBUF_QUOTA,
                        variables.getOrDefault(USERBUF_QUOTA, "268435456"),
                        Long.MAX_VALUE);
        long seconds =
                number(SCRIPT_SECONDS, variables.getOrDefault(SCRIPT_SECONDS, "600"), 1_000_000);
        settings =
                settings.withUserBufferQuota(quota)
                        .withUserScript(script(variables, home), Duration.ofSeconds(seconds))
                        .withHooks(
                                given(variables, PASSWD_SCRIPT),
                                given(variables, NAT_SCRIPT),
                                isSet(ENABLE_NAT, variables))
                        .withLive(isSet(LIVE_MODULES, variables));
        for (String each : SEPARATOR.split(variables.getOrDefault(SETTINGS, ""), -1)) {
            int equals = each.indexOf('=');
            if (equals < 1 && !each.isEmpty()) {
                throw bad(SETTINGS, variables, "is name=value, and more of them behind a colon");
            }
            if (equals > 0) {
                settings =
                        settings.withPluginSetting(
                                each.substring(0, equals), each.substring(equals + 1));
            }
        }
        return settings;
    }

    /** The two files of a ZOID plug-in name one plug-in here. */
    private static List<String> modules(Map<String, String> variables) {
        String list = variables.get(MODULES);
        if (list == null) {
            return USUAL_MODULES;
        }
        Set<String> names = new LinkedHashSet<>();
        for (String each : list.split(":", -1)) {
            Matcher found = MODULE_FILE.matcher(each);
            if (found.matches()) {
                names.add(found.group(1));
            }
        }
        if (names.isEmpty()) {
            throw bad(MODULES, variables, "names plug-ins, separated by colons");
        }
        return new ArrayList<>(names);
    }

    private static @Nullable String script(Map<String, String> variables, @Nullable Path home) {
        String given = variables.get(USER_SCRIPT);
        if (given != null) {
            return given.isEmpty() ? null : given;
        }
        Path usual = home == null ? null : home.resolve("zoid-user-script.sh");
        return usual != null && Files.isExecutable(usual) ? usual.toString() : null;
    }

    private static @Nullable String given(Map<String, String> variables, String name) {
        String value = variables.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private static boolean isSet(String name, Map<String, String> variables) {
        return switch (variables.getOrDefault(name, "0")) {
            case "", "0" -> false;
            case "1" -> true;
            default -> throw bad(name, variables, "is 0 or 1");
        };
    }

    private static long number(String name, String text, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // It is no number: reported below.
        }
        throw new IllegalArgumentException(
                name + " has numbers from 0 to " + most + ", and not '" + text + "'.");
    }

    private static IllegalArgumentException bad(
            String name, Map<String, String> variables, String sentence) {
        return new IllegalArgumentException(
                name + " " + sentence + ", and not '" + variables.get(name) + "'.");
    }
}
