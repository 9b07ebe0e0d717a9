package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The functions of the C library that the server calls. None is bound as critical: they may block,
 * and a critical call delays garbage collection.
 *
 * <p>The constructor binds all functions. It throws a LinkageError or an IllegalCallerException if
 * that fails.
 */
final class Libc {
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Linker linker = Linker.nativeLinker();

    /** All arguments but the first are variadic: number, a, b, c, d. */
    final MethodHandle syscall =
            handle(
                    "syscall",
                    JAVA_LONG,
                    Linker.Option.firstVariadicArg(1),
                    JAVA_LONG,
                    JAVA_LONG,
                    ADDRESS,
                    ADDRESS,
                    JAVA_LONG);

    final MethodHandle openat =
            handle(
                    "openat",
                    JAVA_INT,
                    Linker.Option.firstVariadicArg(3),
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    JAVA_INT);
    final MethodHandle close = handle("close", JAVA_INT, JAVA_INT);
    final MethodHandle statx =
            handle("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    final MethodHandle mkdirat = handle("mkdirat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    final MethodHandle unlinkat = handle("unlinkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    final MethodHandle renameat =
            handle("renameat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    final MethodHandle symlinkat = handle("symlinkat", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    final MethodHandle linkat =
            handle("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
    final MethodHandle readlinkat =
            handle("readlinkat", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
    final MethodHandle fchmodat =
            handle("fchmodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    final MethodHandle fchownat =
            handle("fchownat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
    final MethodHandle utimensat =
            handle("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    final MethodHandle ftruncate = handle("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
    final MethodHandle fsync = handle("fsync", JAVA_INT, JAVA_INT);
    final MethodHandle pread = handle("pread", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    final MethodHandle pwrite =
            handle("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    final MethodHandle preadv = handle("preadv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
    final MethodHandle pwritev =
            handle("pwritev", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
    final MethodHandle lseek = handle("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    final MethodHandle fstatfs = handle("fstatfs", JAVA_INT, JAVA_INT, ADDRESS);
    final MethodHandle read = handle("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    final MethodHandle inotifyInit1 = handle("inotify_init1", JAVA_INT, JAVA_INT);
    final MethodHandle inotifyAddWatch =
            handle("inotify_add_watch", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);

    /** Null if the C library does not have it. */
    final @Nullable MethodHandle preadv2 =
            linker.defaultLookup().find("preadv2").isEmpty()
                    ? null
                    : handle(
                            "preadv2", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_INT);

    final MethodHandle getdents = handle("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    final MethodHandle nameToHandle =
            handle("name_to_handle_at", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
    final MethodHandle openByHandle =
            handle("open_by_handle_at", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    final MethodHandle setfsuid = handle("setfsuid", JAVA_INT, JAVA_INT);
    final MethodHandle setfsgid = handle("setfsgid", JAVA_INT, JAVA_INT);

    /** The negative error number of the last call that captured its state here. */
    static int errno(MemorySegment state) {
        return -(int) ERRNO.get(state, 0L);
    }

    /** What to throw for an exception of a downcall, which declares all and throws none. */
    static AssertionError unexpected(Throwable failure) {
        return new AssertionError("A system call threw", failure);
    }

    /** Fills an array of {@code struct iovec}. */
    static void fillVector(MemorySegment vector, MemorySegment[] list, int count) {
        for (int i = 0; i < count; i++) {
            vector.set(JAVA_LONG, 16L * i, list[i].address());
            vector.set(JAVA_LONG, 16L * i + 8, list[i].byteSize());
        }
    }

    private MethodHandle handle(String name, MemoryLayout result, MemoryLayout... arguments) {
        return bind(name, result, arguments, Linker.Option.captureCallState("errno"));
    }

    private MethodHandle handle(
            String name, MemoryLayout result, Linker.Option variadic, MemoryLayout... arguments) {
        return bind(name, result, arguments, Linker.Option.captureCallState("errno"), variadic);
    }

    @SuppressWarnings("restricted")
    private MethodHandle bind(
            String name, MemoryLayout result, MemoryLayout[] arguments, Linker.Option... options) {
        MemorySegment function = linker.defaultLookup().findOrThrow(name);
        return linker.downcallHandle(function, FunctionDescriptor.of(result, arguments), options);
    }
}
