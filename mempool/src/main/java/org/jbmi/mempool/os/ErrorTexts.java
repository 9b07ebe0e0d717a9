package org.jbmi.mempool.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the error number of a failed call of the Java library, whose exceptions carry the text of
 * the C library and not the number. It asks the C library for the text of each number, in the
 * language of this process. It compares whole texts, so it needs no words of any language.
 *
 * <p>Immutable and thread-safe.
 */
public final class ErrorTexts {
    private static final int MAX_ERRNO = 133;
    private static final long MAX_TEXT_BYTES = 1024;

    private final Map<String, Integer> numbers;

    private ErrorTexts(Map<String, Integer> numbers) {
        this.numbers = Map.copyOf(numbers);
    }

    /**
     * Asks the C library for its texts.
     *
     * @return the texts of this process; none if native calls are not bound or not enabled, and
     *     then every number is 0
     */
    public static ErrorTexts read() {
        Map<String, Integer> found = new HashMap<>();
        boolean isEnabled = ErrorTexts.class.getModule().isNativeAccessEnabled();
        if (isEnabled && NativeAccess.unavailabilityReason().isEmpty()) {
            try {
                readAll(found);
            } catch (Throwable e) {
                System.getLogger("org.jbmi.mempool").log(System.Logger.Level.DEBUG, "texts", e);
            }
        }
        return new ErrorTexts(found);
    }

    @SuppressWarnings("restricted")
    private static void readAll(Map<String, Integer> found) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle textOf =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("strerror"),
                        FunctionDescriptor.of(ADDRESS, JAVA_INT));
        Charset charset = charset();
        for (int errno = 1; errno <= MAX_ERRNO; errno++) {
            MemorySegment address = (MemorySegment) textOf.invokeExact(errno);
            if (address.address() != 0) {
                found.putIfAbsent(text(address.reinterpret(MAX_TEXT_BYTES), charset), errno);
            }
        }
    }

    /** The encoding that the Java library reads the system's texts in. */
    private static Charset charset() {
        String name = System.getProperty("sun.jnu.encoding", "");
        name = name.isEmpty() ? "UTF-8" : name;
        return Charset.isSupported(name) ? Charset.forName(name) : Charset.defaultCharset();
    }

    private static String text(MemorySegment memory, Charset charset) {
        int length = 0;
        while (length < MAX_TEXT_BYTES && memory.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        byte[] bytes = memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, charset);
    }

    /**
     * The error number that a text means.
     *
     * @return the number, or 0 if it is not the text of one
     */
    public int errnoOf(@Nullable String text) {
        return text == null ? 0 : numbers.getOrDefault(text, 0);
    }
}
