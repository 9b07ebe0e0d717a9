package org.jbmi.core;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The messages in the hands of the program by the address of their payload: open addressing with
 * linear probing and backward-shift deletion, no allocation once it has grown. Guarded by the
 * store's lock.
 */
final class HeldMessages {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] addresses = new long[64];
    private @Nullable CoreUnexpectedBuffer[] buffers = new CoreUnexpectedBuffer[64];
    private int size;

    int size() {
        return size;
    }

    void put(CoreUnexpectedBuffer buffer) {
        if (2 * size >= addresses.length) {
            grow();
        }
        int slot = home(buffer.address());
        while (buffers[slot] != null) {
            slot = next(slot);
        }
        addresses[slot] = buffer.address();
        buffers[slot] = buffer;
        size++;
    }

    @Nullable CoreUnexpectedBuffer get(long address) {
        int slot = home(address);
        while (buffers[slot] != null && addresses[slot] != address) {
            slot = next(slot);
        }
        return buffers[slot];
    }

    void remove(CoreUnexpectedBuffer buffer) {
        int hole = home(buffer.address());
        while (buffers[hole] != buffer) {
            if (buffers[hole] == null) {
                return;
            }
            hole = next(hole);
        }
        int mask = addresses.length - 1;
        int slot = hole;
        while (true) {
            slot = next(slot);
            if (buffers[slot] == null) {
                break;
            }
            int home = home(addresses[slot]);
            // Moves back only what does not become unreachable: its home is not after the hole.
            if (((slot - home) & mask) >= ((slot - hole) & mask)) {
                addresses[hole] = addresses[slot];
                buffers[hole] = buffers[slot];
                hole = slot;
            }
        }
        buffers[hole] = null;
        size--;
    }

    private int home(long address) {
        return (int) ((address * SPREAD) >>> 32) & (addresses.length - 1);
    }

    private int next(int slot) {
        return (slot + 1) & (addresses.length - 1);
    }

    private void grow() {
        CoreUnexpectedBuffer[] old = Arrays.copyOf(buffers, buffers.length);
        addresses = new long[old.length * 2];
        buffers = new CoreUnexpectedBuffer[old.length * 2];
        size = 0;
        for (CoreUnexpectedBuffer buffer : old) {
            if (buffer != null) {
                put(buffer);
            }
        }
    }
}
