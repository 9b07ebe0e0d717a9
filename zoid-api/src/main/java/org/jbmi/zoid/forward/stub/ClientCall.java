package org.jbmi.zoid.forward.stub;

import org.jbmi.zoid.forward.client.Request;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** One call, as a generated client stub sees it. Not thread-safe. */
public final class ClientCall extends CallArguments {
    private static final byte[] NOTHING = {};

    private final Zoid zoid;
    private final ClientPlugin plugin;
    private final int function;
    private final List<MemorySegment> parts = new ArrayList<>(1);
    private final List<MemorySegment> rooms = new ArrayList<>(1);

    ClientCall(Zoid zoid, ClientPlugin plugin, int function) {
        super(NOTHING, Forwarded.HEADER_BYTES, zoid.limitBytes());
        this.zoid = zoid;
        this.plugin = plugin;
        this.function = function;
    }

    @Override
    protected void arrayCopied() {
        zoid.countCopy();
    }

    /**
     * Checks an argument that may not be missing.
     *
     * @param name its name
     * @param value the argument
     * @param <T> its type
     * @return the argument
     * @throws IllegalArgumentException if it is missing: nothing has travelled
     */
    public static <T> T needed(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' must not be null.");
        }
        return value;
    }

    /**
     * Exposes the input array with {@code @ZeroCopy}.
     *
     * @param memory its beginning is sent
     * @param bytes how many bytes
     * @param limited whether it counts as a part of the message
     */
    public void exposeIn(MemorySegment memory, long bytes, boolean limited) {
        MemorySegment part = memory.asSlice(0, bytes);
        if (limited) {
            add(bytes);
        }
        parts.add(part);
    }

    /**
     * Exposes inner input arrays with {@code @ZeroCopy}.
     *
     * @param memory their beginnings are sent
     * @param counts how many elements of each
     * @param elementBytes how large an element is
     */
    public void exposeIn(MemorySegment[] memory, long[] counts, int elementBytes) {
        for (int i = 0; i < counts.length; i++) {
            exposeIn(memory[i], counts[i] * elementBytes, true);
        }
    }

    /**
     * Exposes the output array with {@code @ZeroCopy}.
     *
     * @param memory its beginning is filled
     * @param bytes how many bytes at most
     */
    public void exposeOut(MemorySegment memory, long bytes) {
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("An array that comes out must not be read-only.");
        }
        rooms.add(memory.asSlice(0, bytes));
    }

    /**
     * Exposes inner output arrays with {@code @ZeroCopy}.
     *
     * @param memory their beginnings are filled
     * @param counts how many elements of each
     * @param elementBytes how large an element is
     */
    public void exposeOut(MemorySegment[] memory, long[] counts, int elementBytes) {
        for (int i = 0; i < counts.length; i++) {
            exposeOut(memory[i], counts[i] * elementBytes);
        }
    }

    /**
     * Sends the request and waits for the reply.
     *
     * @return false if the forwarding layer failed, and the client gives error codes
     * @throws ZoidException if the forwarding layer failed, and the client throws
     */
    public boolean forward() {
        if (excessBytes() > 0) {
            return zoid.refuse(excessBytes(), plugin.words(function));
        }
        byte[] results =
                zoid.forward(
                        new Request(
                                plugin.id(),
                                function,
                                plugin.hash(function),
                                plugin.words(function),
                                messageBytes(),
                                written(),
                                parts,
                                rooms));
        if (results == null) {
            return false;
        }
        read(results);
        return true;
    }
}
