package org.jbmi.zoidfs.server;

import java.util.Random;

/**
 * One step of a random program, which travels as a line to the process that takes it.
 *
 * @param kind what is done
 * @param path of the file
 * @param other the new path of a rename or link; else the same
 * @param seed of the bytes that are written
 * @param size how many they are, a new length, a mode, or the number in the text of a link
 * @param offset where they go
 */
record Step(Kind kind, String path, String other, long seed, int size, int offset) {
    /** What a step does. */
    enum Kind {
        CREATE,
        MAKE_FOLDER,
        MAKE_SYMBOLIC_LINK,
        /** Another name for the file. */
        LINK,
        SET_MODE,
        RESIZE,
        REMOVE,
        RENAME,
        WRITE,
        /** In two regions of the file, with {@link #GAP_BYTES} between them. */
        WRITE_REGIONS,
        /** Answered early, and then committed. */
        WRITE_BEHIND,
        /** Tells a hash of the content. */
        READ,
        /** Tells a hash of the text of a link. */
        READ_LINK,
        /** Tells a hash of length, mode and number of names. */
        GET_ATTRIBUTES,
        /** Tells a hash of the sorted names. */
        LIST,
        /** Tells the place. */
        APPEND
    }

    /** Between the regions of a write in two. */
    static final int GAP_BYTES = 500;

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

    /** Of a write in two regions: how much is in the first. */
    int firstBytes() {
        return size / 2;
    }

    String text() {
        return "to" + size;
    }
}
