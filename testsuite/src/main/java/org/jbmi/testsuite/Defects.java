package org.jbmi.testsuite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The known faults of the C library by their ids, each with what would show it here. That is
 * numbers of cases, tests as {@code Class#method}, or nothing where it cannot occur.
 */
public final class Defects {
    private static final String RESOURCE = "defects";

    private Defects() {}

    /** {@return the guards of the whole list, by id} */
    public static Map<String, List<String>> all() {
        Map<String, List<String>> all = new TreeMap<>();
        try (InputStream in = Defects.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("The list of defects is missing.");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String line : text.lines().filter(one -> !one.startsWith("#")).toList()) {
                List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
                String id = words.removeFirst();
                words.removeIf("-"::equals);
                if (all.put(id, Collections.unmodifiableList(words)) != null) {
                    throw new IllegalStateException("The defect " + id + " is listed twice.");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    /**
     * The faults that a case would show.
     *
     * @param conformanceCase any
     * @return ids
     */
    public static List<String> shownBy(ConformanceCase conformanceCase) {
        String number = Integer.toString(conformanceCase.id());
        return all().entrySet().stream()
                .filter(entry -> entry.getValue().contains(number))
                .map(Map.Entry::getKey)
                .toList();
    }
}
