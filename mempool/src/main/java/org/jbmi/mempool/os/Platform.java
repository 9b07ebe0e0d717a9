package org.jbmi.mempool.os;

import org.jspecify.annotations.Nullable;

import java.nio.ByteOrder;
import java.util.Locale;

/**
 * The numbers of one system and processor that the calls of this package need. If they are not
 * known, {@link #unknown} says why, and the numbers are not used.
 *
 * @param unknown the reason why there are no numbers, or null
 * @param futexCall system call number of futex
 * @param openNoFollow flag of open that refuses a symbolic link
 */
record Platform(@Nullable String unknown, long futexCall, int openNoFollow) {

    static Platform detect() {
        return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static Platform of(String os, String processor) {
        if (!os.equals("Linux")) {
            return none("native calls are bound for Linux only, and this is " + os);
        }
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return none("shared memory is laid out for little-endian processors only");
        }
        return switch (processor.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> new Platform(null, 202, 0x20000);
            case "aarch64" -> new Platform(null, 98, 0x8000);
            default -> none("system call numbers are not known for the processor " + processor);
        };
    }

    private static Platform none(String why) {
        return new Platform(why, -1, 0);
    }
}
