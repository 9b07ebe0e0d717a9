package org.jbmi.zoidfs.server;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/**
 * One step of a random program, which travels as a line to the process that takes it.
 *
 * @param kind what is done
 * @param path of the file
 * @param other the new path of a rename; else the same
 * @param seed of the bytes that are written
 * @param size how many they are, or a new length
 * @param offset where they go
 */
record Step(Kind kind, String path, String other, long seed, int size, int offset) {
    /** What a step does. */
    enum Kind {
        CREATE,
        RESIZE,
        REMOVE,
        RENAME,
        WRITE,
        /** Answered early, and then committed. */
        WRITE_BEHIND,
        /** Tells a hash of the content. */
        READ,
        /** Tells the place. */
        APPEND
    }

    /**
     * What came of a step.
     *
     * @param answered false if nobody knows whether it happened
     * @param value see {@link Kind}
     */
    record Taken(boolean answered, long value) {
        static final Taken UNANSWERED = new Taken(false, 0);
    }

    static Step parse(String line) {
        String[] words = line.split(" ");
        return new Step(
                Kind.valueOf(words[0]),
                words[1],
                words[2],
                Long.parseLong(words[3]),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]));
    }

    String line() {
        return String.join(
                " ",
                kind.name(),
                path,
                other,
                Long.toString(seed),
                Integer.toString(size),
                Integer.toString(offset));
    }

    byte[] bytes() {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Takes the step; another failure than no answer is a fault, and thrown. */
    Taken take(ZoidfsClient client) throws IOException {
        try {
            return new Taken(true, run(client));
        } catch (ZoidfsException e) {
            if (e.getCause() == null) {
                throw e;
            }
            return Taken.UNANSWERED;
        }
    }

    private long run(ZoidfsClient client) throws IOException {
        FileSpec file = FileSpec.path(path);
        switch (kind) {
            case CREATE -> client.create(file, SettableAttributes.ofMode(0644));
            case RESIZE -> client.resize(client.lookup(file), size);
            case REMOVE -> client.remove(file);
            case RENAME -> client.rename(file, FileSpec.path(other));
            case WRITE -> client.write(client.lookup(file), memory(), offset);
            case WRITE_BEHIND -> {
                FileHandle handle = client.lookup(file);
                client.writeBehind(handle, memory(), offset);
                // Only now it counts.
                client.commit(handle);
            }
            case READ -> {
                byte[] content = new byte[size];
                long read =
                        client.read(client.lookup(file), MemorySegment.ofArray(content), offset);
                return Arrays.hashCode(Arrays.copyOf(content, (int) read));
            }
            case APPEND -> {
                return client.append(client.lookup(file), memory(), 0);
            }
        }
        return 0;
    }

    private MemorySegment memory() {
        return MemorySegment.ofArray(bytes());
    }
}
