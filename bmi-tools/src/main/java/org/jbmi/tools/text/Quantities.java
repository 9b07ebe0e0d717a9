package org.jbmi.tools.text;

import java.util.Locale;

/** Reads and writes bytes, times and rates as text. */
public final class Quantities {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final double NS_PER_SECOND = 1e9;

    private Quantities() {}

    /**
     * Reads a number of bytes.
     *
     * @param text a whole number, perhaps with k, m or g for a power of 1024
     * @return bytes, 0 or more
     * @throws IllegalArgumentException with a message if the text is anything else
     */
    public static long parseBytes(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        long factor =
                lower.endsWith("k")
                        ? KIB
                        : lower.endsWith("m") ? MIB : lower.endsWith("g") ? GIB : 1;
        String digits = factor == 1 ? lower : lower.substring(0, lower.length() - 1);
        try {
            long number = Long.parseLong(digits);
            if (number >= 0) {
                return Math.multiplyExact(number, factor);
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(badBytes(text), e);
        }
        throw new IllegalArgumentException(badBytes(text));
    }

    /**
     * A number of bytes in a suitable unit.
     *
     * @param bytes 0 or more
     * @return for example {@code "139.2 MiB"} or {@code "1 byte"}
     */
    public static String bytes(long bytes) {
        if (bytes >= GIB) {
            return decimal(bytes / (double) GIB) + " GiB";
        }
        if (bytes >= MIB) {
            return decimal(bytes / (double) MIB) + " MiB";
        }
        if (bytes >= KIB) {
            return decimal(bytes / (double) KIB) + " KiB";
        }
        return count(bytes, "byte");
    }

    /** {@return a number of things, for example {@code "1 call"} or {@code "2 calls"}} */
    public static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** {@return a rate in MiB/s; 0 if no time passed} */
    public static double mibPerSecond(long bytes, long nanos) {
        return nanos <= 0 ? 0 : bytes / (double) MIB / (nanos / NS_PER_SECOND);
    }

    /**
     * A time.
     *
     * @param nanos nanoseconds
     * @return seconds with three decimals
     */
    public static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / NS_PER_SECOND);
    }

    /**
     * A number with one decimal.
     *
     * @param number finite
     * @return the same text in every language of the machine
     */
    public static String decimal(double number) {
        return String.format(Locale.ROOT, "%.1f", number);
    }

    private static String badBytes(String text) {
        return "\"" + text + "\" is not a number of bytes; write for example 1000, 64k, 16m or 1g";
    }
}
