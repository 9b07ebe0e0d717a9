package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Cases that a method does not run, each with its reason. A file of lines {@code NUMBER REASON};
 * lines that begin with {@code #} and empty lines are ignored.
 */
public final class Exclusions {
    private final Map<Integer, String> reasons;

    private Exclusions(Map<Integer, String> reasons) {
        this.reasons = reasons;
    }

    /** {@return no exclusions} */
    public static Exclusions none() {
        return new Exclusions(Map.of());
    }

    /**
     * Reads a file.
     *
     * @param text its content
     * @return the exclusions
     * @throws IllegalArgumentException for a line without a number or a reason, a number that
     *     stands there twice, or a case that does not exist
     */
    public static Exclusions parse(String text) {
        Map<Integer, String> reasons = new TreeMap<>();
        for (String line : text.lines().map(String::strip).toList()) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split("\\s+", 2);
            if (parts.length < 2 || !parts[0].matches("\\d{1,6}")) {
                throw new IllegalArgumentException(
                        "An exclusion is a number and a reason, not \"" + line + "\".");
            }
            if (reasons.put(Integer.valueOf(parts[0]), parts[1]) != null) {
                throw new IllegalArgumentException("Case " + parts[0] + " is excluded twice.");
            }
        }
        Catalogue.chosen(reasons.keySet()); // so each of them exists
        return new Exclusions(reasons);
    }

    /**
     * Reads the file that lies beside a class as {@code NAME.exclusions}.
     *
     * @param besides a class of the method's tests
     * @param name the fixture's {@link MethodFixture#fullName}
     * @return the exclusions; none if there is no such file
     */
    public static Exclusions load(Class<?> besides, String name) {
        try (InputStream in = besides.getResourceAsStream(name + ".exclusions")) {
            return in == null
                    ? none()
                    : parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the file that lies beside a fixture's class.
     *
     * @param fixture names it
     * @return the exclusions; none if there is no such file
     */
    public static Exclusions of(MethodFixture fixture) {
        return load(fixture.getClass(), fixture.fullName());
    }

    /**
     * Why a case is not run.
     *
     * @param id its number
     * @return the reason, or null if it is run
     */
    public @Nullable String reason(int id) {
        return reasons.get(id);
    }
}
