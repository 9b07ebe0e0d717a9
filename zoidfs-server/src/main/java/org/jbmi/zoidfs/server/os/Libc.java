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
 */
final class Libc {
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    final MethodHandle syscall;
    final MethodHandle openat;
    final MethodHandle close;
    final MethodHandle statx;
    final MethodHandle mkdirat;
    final MethodHandle unlinkat;
    final MethodHandle renameat;
    final MethodHandle symlinkat;
    final MethodHandle linkat;
    final MethodHandle readlinkat;
    final MethodHandle fchmodat;
    final MethodHandle fchownat;
    final MethodHandle utimensat;
    final MethodHandle ftruncate;
    final MethodHandle fsync;
    final MethodHandle pread;
    final MethodHandle pwrite;
    final MethodHandle preadv;
    final MethodHandle pwritev;
    final MethodHandle lseek;
    final MethodHandle fstatfs;
    final MethodHandle read;
    final MethodHandle inotifyInit1;
    final MethodHandle inotifyAddWatch;

    /** Null if the C library does not have it. */
    final @Nullable MethodHandle preadv2;

    final MethodHandle getdents;
    final MethodHandle nameToHandle;
    final MethodHandle openByHandle;
    final MethodHandle setfsuid;
    final MethodHandle setfsgid;

    private final Linker linker = Linker.nativeLinker();

    /** Binds all functions; throws a LinkageError or an IllegalCallerException if that fails. */
    Libc() {
        // syscall(number, a, b, c, d): all but the first are variadic.
        syscall =
                handle(
                        "syscall",
                        JAVA_LONG,
                        Linker.Option.firstVariadicArg(1),
                        JAVA_LONG,
                        JAVA_LONG,
                        ADDRESS,
                        ADDRESS,
                        JAVA_LONG);
        openat =
                handle(
                        "openat",
                        JAVA_INT,
                        Linker.Option.firstVariadicArg(3),
                        JAVA_INT,
                        ADDRESS,
                        JAVA_INT,
                        JAVA_INT);
        close = handle("close", JAVA_INT, JAVA_INT);
        statx = handle("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
        mkdirat = handle("mkdirat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        unlinkat = handle("unlinkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        renameat = handle("renameat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
        symlinkat = handle("symlinkat", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
        linkat = handle("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
        readlinkat = handle("readlinkat", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
        fchmodat = handle("fchmodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
        fchownat = handle("fchownat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
        utimensat = handle("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
        ftruncate = handle("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
        fsync = handle("fsync", JAVA_INT, JAVA_INT);
        pread = handle("pread", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
        pwrite = handle("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
        preadv = handle("preadv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
        pwritev = handle("pwritev", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
        lseek = handle("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
        fstatfs = handle("fstatfs", JAVA_INT, JAVA_INT, ADDRESS);
        read = handle("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        inotifyInit1 = handle("inotify_init1", JAVA_INT, JAVA_INT);
        inotifyAddWatch = handle("inotify_add_watch", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        preadv2 =
                linker.defaultLookup().find("preadv2").isEmpty()
                        ? null
                        : handle(
                                "preadv2", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG,
                                JAVA_INT);
        getdents = handle("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        nameToHandle =
                handle(
                        "name_to_handle_at",
                        JAVA_INT,
                        JAVA_INT,
                        ADDRESS,
                        ADDRESS,
                        ADDRESS,
                        JAVA_INT);
        openByHandle = handle("open_by_handle_at", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        setfsuid = handle("setfsuid", JAVA_INT, JAVA_INT);
        setfsgid = handle("setfsgid", JAVA_INT, JAVA_INT);
    }

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
