package org.jbmi.zoidfs.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A request that grows, word by word: nothing of the codecs of this project is in it. */
final class Words {
    private final ByteBuffer bytes = ByteBuffer.allocate(20_000);

    static Words of(int operation) {
        return new Words().i(operation);
    }

    Words i(int word) {
        bytes.putInt(word);
        return this;
    }

    Words l(long word) {
        bytes.putLong(word);
        return this;
    }

    Words raw(byte[] some) {
        bytes.put(some);
        return this;
    }

    Words string(String text) {
        byte[] some = text.getBytes(StandardCharsets.ISO_8859_1);
        i(some.length).raw(some);
        while (bytes.position() % 4 != 0) {
            bytes.put((byte) 0);
        }
        return this;
    }

    Words path(String path) {
        return i(1).string(path);
    }

    Words below(byte[] handle, String name) {
        return i(0).raw(handle).string(name);
    }

    /** Settable attributes. */
    Words settable(int mask, int mode, long seconds) {
        return i(mask).i(mode).i(0).i(0).l(77).l(seconds).i(0).l(seconds).i(0);
    }

    /** Attributes: the mask counts, and the C client sends what its memory holds. */
    Words attributes(int mask) {
        i(0x0bad).i(mask);
        for (int i = 0; i < 19; i++) {
            i(0xdeadbeef);
        }
        return this;
    }

    Words vector(long... values) {
        i(values.length);
        for (long value : values) {
            l(value);
        }
        return this;
    }

    /** A read or write without hints. */
    Words regions(byte[] handle, long[] memory, long[] starts, long[] sizes, long chunk) {
        return unhinted(handle, memory, starts, sizes, chunk).i(0).i(0xdeadbeef);
    }

    /** A read or write, up to its hints. */
    Words unhinted(byte[] handle, long[] memory, long[] starts, long[] sizes, long chunk) {
        raw(handle).l(memory.length).vector(memory);
        return l(sizes.length).vector(starts).vector(sizes).l(chunk);
    }

    /** Keys and values in turn, as the C client of the branch sfp sends them. */
    Words hints(String... keysAndValues) {
        i(1).i(keysAndValues.length / 2);
        for (String text : keysAndValues) {
            i(text.length() + 1).string(text);
        }
        return i(0xdeadbeef).i(0xdeadbeef);
    }

    byte[] done() {
        return Arrays.copyOf(bytes.array(), bytes.position());
    }
}
