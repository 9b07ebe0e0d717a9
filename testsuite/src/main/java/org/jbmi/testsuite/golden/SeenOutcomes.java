package org.jbmi.testsuite.golden;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the recorded program saw of its operations: ours must end the same, each one. */
final class SeenOutcomes {
    private static final Pattern EXPECTED =
            Pattern.compile(
                    "(?:completed|immediate) (send|recv) tag=(-?\\d+) posted=(\\d+)"
                            + " error=(-?\\d+) actual=(\\d+).*");
    private static final Pattern UNEXPECTED =
            Pattern.compile("(unexpected) class=(\\d+) tag=(-?\\d+) error=(-?\\d+) size=(\\d+).*");

    private static final String UNEXPECTED_KIND = "unexpected";

    /**
     * The second number is the tag, the third what was posted; of an unexpected message class and
     * tag.
     */
    private record Seen(String kind, long first, long second, long error, long sizeBytes) {
        private boolean isOf(String otherKind, long otherFirst, long otherSecond) {
            return kind.equals(otherKind) && first == otherFirst && second == otherSecond;
        }
    }

    private final List<Seen> open = new ArrayList<>();

    SeenOutcomes(List<String> log) {
        for (String line : log) {
            Matcher expected = EXPECTED.matcher(line);
            Matcher unexpected = UNEXPECTED.matcher(line);
            if (expected.matches()) {
                open.add(seen(expected));
            } else if (unexpected.matches()) {
                open.add(seen(unexpected));
            }
        }
    }

    private static Seen seen(Matcher line) {
        return new Seen(
                line.group(1), number(line, 2), number(line, 3), number(line, 4), number(line, 5));
    }

    private static long number(Matcher line, int group) {
        return Long.parseLong(line.group(group));
    }

    /** An expected message ended here. */
    void expected(boolean isReceive, int tag, long posted, long error, long sizeBytes) {
        take(isReceive ? "recv" : "send", tag, posted, error, sizeBytes);
    }

    /** An unexpected message came here. */
    void unexpected(int messageClass, int tag, long error, long sizeBytes) {
        take(UNEXPECTED_KIND, messageClass, tag, error, sizeBytes);
    }

    private void take(String kind, long first, long second, long error, long sizeBytes) {
        for (Iterator<Seen> i = open.iterator(); i.hasNext(); ) {
            Seen seen = i.next();
            if (seen.isOf(kind, first, second)) {
                i.remove();
                require(seen.error() == error, "error " + error + " of " + seen);
                require(seen.sizeBytes() == sizeBytes, "size " + sizeBytes + " of " + seen);
                return;
            }
        }
        require(false, "the outcome of " + kind + " " + first + " " + second);
    }

    /** Everything that the program saw has come. */
    void expectAll() {
        require(open.isEmpty(), "what never came: " + open);
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException("Not as recorded: " + what + ".");
        }
    }
}
