package org.jbmi.mempool.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The functions of the C library that this package calls, as handles. If they are not available,
 * all handles throw {@link UnsupportedOperationException} with the reason, so that no caller has to
 * check each.
 *
 * <p>None is bound as critical, because a critical call delays garbage collection until it returns.
 *
 * @param unavailable the reason why they cannot be called, or null
 * @param futex {@code syscall} without the error number
 * @param futexWaitError {@code syscall} with the error number; each call allocates
 * @param open {@code open}
 * @param close {@code close}
 * @param reserve {@code posix_fallocate}
 * @param control {@code fcntl} with the error number
 * @param userId {@code geteuid}
 * @param map maps pages
 * @param unmap unmaps them
 * @param socketOption {@code getsockopt}
 */
record Functions(
        @Nullable String unavailable,
        MethodHandle futex,
        MethodHandle futexWaitError,
        MethodHandle open,
        MethodHandle close,
        MethodHandle reserve,
        MethodHandle control,
        MethodHandle userId,
        MethodHandle map,
        MethodHandle unmap,
        MethodHandle socketOption) {

    private static final FunctionDescriptor SYSTEM_CALL =
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG,
                    JAVA_LONG);
    private static final FunctionDescriptor OPEN =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT);
    private static final FunctionDescriptor CLOSE = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor RESERVE =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor CONTROL =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final FunctionDescriptor USER_ID = FunctionDescriptor.of(JAVA_INT);
    private static final FunctionDescriptor MAP =
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor UNMAP =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);

    private static final FunctionDescriptor SOCKET_OPTION =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);

    /** Binds the functions of a platform; never throws. */
    @SuppressWarnings("CatchingUnchecked")
    static Functions bind(Platform platform) {
        String unknown = platform.unknown();
        if (unknown != null) {
            return refusing(unknown);
        }
        try {
            return bindAll(Linker.nativeLinker());
        } catch (IllegalCallerException e) {
            return refusing(
                    "native access is denied; run with --enable-native-access=org.jbmi.mempool"
                            + " (on the class path: ALL-UNNAMED)");
        } catch (RuntimeException | LinkageError e) {
            return refusing("the C library could not be bound: " + e);
        }
    }

    @SuppressWarnings("restricted")
    private static Functions bindAll(Linker linker) {
        Linker.Option errno = Linker.Option.captureCallState("errno");
        Linker.Option oneNamed = Linker.Option.firstVariadicArg(1);
        Linker.Option twoNamed = Linker.Option.firstVariadicArg(2);
        MemorySegment systemCall = address(linker, "syscall");
        return new Functions(
                null,
                linker.downcallHandle(systemCall, SYSTEM_CALL, oneNamed),
                linker.downcallHandle(systemCall, SYSTEM_CALL, oneNamed, errno),
                linker.downcallHandle(address(linker, "open"), OPEN, twoNamed, errno),
                linker.downcallHandle(address(linker, "close"), CLOSE),
                linker.downcallHandle(address(linker, "posix_fallocate"), RESERVE),
                linker.downcallHandle(address(linker, "fcntl"), CONTROL, twoNamed, errno),
                linker.downcallHandle(address(linker, "geteuid"), USER_ID),
                linker.downcallHandle(address(linker, "mmap"), MAP, errno),
                linker.downcallHandle(address(linker, "munmap"), UNMAP),
                linker.downcallHandle(address(linker, "getsockopt"), SOCKET_OPTION));
    }

    private static MemorySegment address(Linker linker, String function) {
        return linker.defaultLookup().findOrThrow(function);
    }

    private static Functions refusing(String why) {
        return new Functions(
                why,
                refusal(why, SYSTEM_CALL, false),
                refusal(why, SYSTEM_CALL, true),
                refusal(why, OPEN, true),
                refusal(why, CLOSE, false),
                refusal(why, RESERVE, false),
                refusal(why, CONTROL, true),
                refusal(why, USER_ID, false),
                refusal(why, MAP, true),
                refusal(why, UNMAP, false),
                refusal(why, SOCKET_OPTION, false));
    }

    private static MethodHandle refusal(String why, FunctionDescriptor shape, boolean errno) {
        MethodType type = shape.toMethodType();
        if (errno) {
            type = type.insertParameterTypes(0, MemorySegment.class);
        }
        MethodHandle thrower =
                MethodHandles.throwException(
                        type.returnType(), UnsupportedOperationException.class);
        MethodHandle bound = thrower.bindTo(new UnsupportedOperationException(why));
        return MethodHandles.dropArguments(bound, 0, type.parameterList());
    }
}
