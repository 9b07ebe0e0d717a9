package org.jbmi.mempool.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A network interface of the system whose packets a program reads and writes. The system removes it
 * when this object is closed or the process ends. One thread may read and one may write at a time.
 */
public final class TunDevice implements AutoCloseable {
    /** The longest name that an interface may have. */
    public static final int MOST_NAME_BYTES = 15;

    private static final Path DEVICE = Path.of("/dev/net/tun");
    private static final long SET_INTERFACE = 0x400454ca;
    private static final long REQUEST_BYTES = 40;
    private static final int NAME_BYTES = 16;

    /** Packets without a header of the device. */
    private static final short PLAIN_PACKETS = 0x1001;

    private static final int MOST_BYTES = 65_535;
    private static final short READABLE = 1;

    private static final FunctionDescriptor CONTROL =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final FunctionDescriptor MOVE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final FunctionDescriptor POLL =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment incoming = arena.allocate(MOST_BYTES, Long.BYTES);
    private final MemorySegment outgoing = arena.allocate(MOST_BYTES, Long.BYTES);
    private final MemorySegment poll = arena.allocate(8, Integer.BYTES);
    private final WaitBuffer readState = new WaitBuffer();
    private final WaitBuffer writeState = new WaitBuffer();
    private final MethodHandle read;
    private final MethodHandle write;
    private final MethodHandle wait;
    private final int descriptor;
    private boolean closed;

    @SuppressWarnings("restricted")
    private TunDevice(int descriptor, String name) throws IOException {
        Linker linker = Linker.nativeLinker();
        Linker.Option errno = Linker.Option.captureCallState("errno");
        this.descriptor = descriptor;
        this.read = linker.downcallHandle(address(linker, "read"), MOVE, errno);
        this.write = linker.downcallHandle(address(linker, "write"), MOVE, errno);
        this.wait = linker.downcallHandle(address(linker, "poll"), POLL);
        MethodHandle control =
                linker.downcallHandle(
                        address(linker, "ioctl"),
                        CONTROL,
                        Linker.Option.firstVariadicArg(2),
                        errno);
        MemorySegment request = arena.allocate(REQUEST_BYTES, Long.BYTES);
        MemorySegment.copy(
                MemorySegment.ofArray(name.getBytes(StandardCharsets.US_ASCII)),
                0,
                request,
                0,
                name.length());
        request.set(JAVA_SHORT, NAME_BYTES, PLAIN_PACKETS);
        int result;
        try {
            result =
                    (int)
                            control.invokeExact(
                                    readState.callState(), descriptor, SET_INTERFACE, request);
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        if (result < 0) {
            throw new IOException(
                    "The interface "
                            + name
                            + " cannot be made: "
                            + Errno.describe(readState.errno()));
        }
    }

    private static MemorySegment address(Linker linker, String function) {
        return linker.defaultLookup().findOrThrow(function);
    }

    /**
     * Checks the name of an interface, without making one.
     *
     * @param name of letters, digits, {@code _}, {@code .} and {@code -}, {@link #MOST_NAME_BYTES}
     *     at most
     * @throws IllegalArgumentException if the name is invalid
     */
    public static void checkName(String name) {
        if (!name.matches("[A-Za-z0-9_.-]{1," + MOST_NAME_BYTES + "}")) {
            throw new IllegalArgumentException(
                    "'%s' is not the name of an interface: 1 to %d letters, digits, and '_.-'."
                            .formatted(name, MOST_NAME_BYTES));
        }
    }

    /**
     * Makes an interface. It has no address yet, and is down.
     *
     * @param name as {@link #checkName} wants it
     * @throws IOException if the system has no such devices, this process may not make one, or the
     *     name is in use
     * @throws IllegalArgumentException if the name is invalid
     */
    public static TunDevice open(String name) throws IOException {
        checkName(name);
        String why = NativeAccess.unavailabilityReason().orElse(null);
        if (why != null) {
            throw new IOException("No interface can be made: " + why + ".");
        }
        int descriptor = NativeAccess.openExisting(DEVICE);
        if (descriptor < 0) {
            throw new IOException(
                    DEVICE + " cannot be opened: " + Errno.describe(-descriptor) + ".");
        }
        TunDevice device = null;
        try {
            device = new TunDevice(descriptor, name);
            return device;
        } finally {
            if (device == null) {
                NativeAccess.close(descriptor);
            }
        }
    }

    /**
     * Waits for a packet that the system sends over the interface. A signal may end the wait early.
     *
     * @param timeoutMs the longest wait
     * @return the packet, from its IP header on; null if none has come
     * @throws IOException if the interface cannot be read
     */
    public byte @Nullable [] receive(int timeoutMs) throws IOException {
        poll.set(JAVA_INT, 0, descriptor);
        poll.set(JAVA_SHORT, 4, READABLE);
        poll.set(JAVA_SHORT, 6, (short) 0);
        long result;
        try {
            int ready = (int) wait.invokeExact(poll, 1L, timeoutMs);
            if (ready <= 0) {
                return null;
            }
            result =
                    (long)
                            read.invokeExact(
                                    readState.callState(), descriptor, incoming, (long) MOST_BYTES);
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        if (result < 0) {
            throw new IOException(
                    "The interface cannot be read: " + Errno.describe(readState.errno()));
        }
        return incoming.asSlice(0, result).toArray(JAVA_BYTE);
    }

    /**
     * Gives the system a packet, as if it had come over the interface.
     *
     * @return whether the system takes it; it does not while the interface is down
     */
    public boolean send(byte[] packet) {
        MemorySegment.copy(packet, 0, outgoing, JAVA_BYTE, 0, packet.length);
        try {
            long result =
                    (long)
                            write.invokeExact(
                                    writeState.callState(),
                                    descriptor,
                                    outgoing,
                                    (long) packet.length);
            return result == packet.length;
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
    }

    /** Removes the interface. No thread may be in another method. A second close does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NativeAccess.close(descriptor);
        }
    }
}
