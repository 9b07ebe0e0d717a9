package org.jbmi.mempool.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The functions for POSIX message queues as handles. They are not in {@link Functions}: a C library
 * may have them in another file or not at all. Shared memory does not need them. They are not bound
 * as critical, because a waiting call must not delay garbage collection.
 *
 * @param open {@code mq_open}
 * @param close {@code mq_close}
 * @param unlink {@code mq_unlink}
 * @param send {@code mq_timedsend}
 * @param receive {@code mq_timedreceive}
 * @param poll waits for a descriptor, for a given time
 * @param attributes {@code mq_getattr}
 */
record QueueFunctions(
        MethodHandle open,
        MethodHandle close,
        MethodHandle unlink,
        MethodHandle send,
        MethodHandle receive,
        MethodHandle poll,
        MethodHandle attributes) {

    private static final FunctionDescriptor OPEN =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    private static final FunctionDescriptor CLOSE = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor UNLINK = FunctionDescriptor.of(JAVA_INT, ADDRESS);
    private static final FunctionDescriptor SEND =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS);
    private static final FunctionDescriptor RECEIVE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    private static final FunctionDescriptor POLL =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    private static final FunctionDescriptor ATTRIBUTES =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);

    /** The result of binding: the functions, or the reason why there are none. */
    record Binding(@Nullable QueueFunctions functions, @Nullable String unavailable) {}

    /** Binds them; never throws. */
    @SuppressWarnings("CatchingUnchecked")
    static Binding bind() {
        String why = NativeAccess.unavailabilityReason().orElse(null);
        if (why != null) {
            return new Binding(null, why);
        }
        try {
            return new Binding(bindAll(Linker.nativeLinker()), null);
        } catch (RuntimeException | LinkageError e) {
            return new Binding(null, "the C library has no POSIX message queues: " + e);
        }
    }

    @SuppressWarnings("restricted")
    private static QueueFunctions bindAll(Linker linker) {
        Linker.Option errno = Linker.Option.captureCallState("errno");
        Linker.Option twoNamed = Linker.Option.firstVariadicArg(2);
        SymbolLookup library = library(linker);
        return new QueueFunctions(
                linker.downcallHandle(address(library, "mq_open"), OPEN, twoNamed, errno),
                linker.downcallHandle(address(library, "mq_close"), CLOSE),
                linker.downcallHandle(address(library, "mq_unlink"), UNLINK, errno),
                linker.downcallHandle(address(library, "mq_timedsend"), SEND, errno),
                linker.downcallHandle(address(library, "mq_timedreceive"), RECEIVE, errno),
                linker.downcallHandle(address(linker.defaultLookup(), "ppoll"), POLL, errno),
                linker.downcallHandle(address(library, "mq_getattr"), ATTRIBUTES, errno));
    }

    // Older C libraries have them in a library of their own.
    @SuppressWarnings("restricted")
    private static SymbolLookup library(Linker linker) {
        SymbolLookup common = linker.defaultLookup();
        return common.find("mq_open").isPresent()
                ? common
                : SymbolLookup.libraryLookup("librt.so.1", Arena.global());
    }

    private static MemorySegment address(SymbolLookup library, String function) {
        return library.findOrThrow(function);
    }
}
