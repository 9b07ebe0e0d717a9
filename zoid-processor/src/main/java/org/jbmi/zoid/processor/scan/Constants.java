package org.jbmi.zoid.processor.scan;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The constants of the preprocessor, and the value of sums and products of them. */
final class Constants {
    private static final Pattern PIECE =
            Pattern.compile(
                    "\\s*(?:(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*|([A-Za-z_]\\w*)|(<<|[-+*/()]))");

    /** The deepest chain of names; bounds a name that is defined by itself. */
    private static final int MOST_NAMES = 8;

    /** The numbers, names and brackets of one value: a short definition can name very many. */
    private static final int MOST_STEPS = 1000;

    private static final long MOST = 1 << 30;
    private static final int NONE = -1;

    private final Map<String, String> definitions = new HashMap<>();
    private int stepsLeft;

    void define(String name, String text) {
        definitions.put(name, text);
    }

    /** The value of an expression; negative if it cannot be read, or is no size of anything. */
    int value(String text) {
        stepsLeft = MOST_STEPS;
        try {
            return (int) new Reader(text, 0).all();
        } catch (IllegalArgumentException e) {
            return NONE;
        }
    }

    /** Goes through one expression; what it cannot read is an IllegalArgumentException. */
    private final class Reader {
        private final Matcher pieces;
        private final int end;
        private final int depth;
        private boolean there;

        Reader(String text, int depth) {
            this.pieces = PIECE.matcher(text.strip());
            this.end = text.strip().length();
            this.depth = depth;
            next();
        }

        private void next() {
            int from = there ? pieces.end() : 0;
            there = pieces.region(from, end).lookingAt();
            if (!there && from < end) {
                throw new IllegalArgumentException("no expression");
            }
        }

        private boolean takeIf(String symbol) {
            boolean found = there && symbol.equals(pieces.group(3));
            if (found) {
                next();
            }
            return found;
        }

        long all() {
            long value = shifted();
            if (there) {
                throw new IllegalArgumentException("more than an expression");
            }
            return value;
        }

        private long shifted() {
            long value = sum();
            while (takeIf("<<")) {
                value = checked(value << Math.min(31, sum()));
            }
            return value;
        }

        private long sum() {
            long value = product();
            while (true) {
                if (takeIf("+")) {
                    value = checked(value + product());
                } else if (takeIf("-")) {
                    value = checked(value - product());
                } else {
                    return value;
                }
            }
        }

        private long product() {
            long value = atom();
            while (true) {
                if (takeIf("*")) {
                    value = checked(value * atom());
                } else if (takeIf("/")) {
                    long by = atom();
                    if (by == 0) {
                        throw new IllegalArgumentException("division by zero");
                    }
                    value /= by;
                } else {
                    return value;
                }
            }
        }

        private long atom() {
            if (--stepsLeft < 0) {
                throw new IllegalArgumentException("too long");
            }
            if (takeIf("(")) {
                long value = shifted();
                if (!takeIf(")")) {
                    throw new IllegalArgumentException("no bracket");
                }
                return value;
            }
            String number = there ? pieces.group(1) : null;
            String name = there ? pieces.group(2) : null;
            if (number != null) {
                next();
                return checked(Long.decode(number));
            }
            if (name != null) {
                next();
                return named(name);
            }
            throw new IllegalArgumentException("no number");
        }

        private long named(String name) {
            String text = definitions.get(name);
            if (text == null || depth == MOST_NAMES) {
                throw new IllegalArgumentException("no constant");
            }
            return new Reader(text, depth + 1).all();
        }

        private static long checked(long value) {
            if (value < 0 || value > MOST) {
                throw new IllegalArgumentException("no size");
            }
            return value;
        }
    }
}
