package org.jbmi.zbmi.host.journal;

import org.jspecify.annotations.Nullable;

/** What a record tells of. Codes are never used for anything else. */
public enum JournalKind {
    /** The first one: format, process, and the limits of the engine. */
    HEADER(1, false),
    /** The last one of a journal that was ended. */
    END(2, false),
    /** A message came from a session: the engine's time, header, words. */
    MESSAGE(10, true),
    /** A session's process is known. */
    INTRODUCED(11, true),
    /** A client is there. */
    CLIENT_ATTACHED(12, true),
    /** A client is gone. */
    CLIENT_GONE(13, true),
    /** A client is proved dead. */
    CLIENT_PROVED_DEAD(14, true),
    /** A server is there. */
    SERVER_ATTACHED(15, true),
    /** The server is gone. */
    SERVER_GONE(16, true),
    /** The server is proved dead. */
    SERVER_PROVED_DEAD(17, true),
    /** Time passes. */
    TICK(18, true),
    /** The engine sent a message to a session: header, words. */
    SENT(30, false),
    /** The engine found fault with a session: number of the fault. */
    FAULT(31, false),
    /** The engine took eager bytes: slot, sequence, result. */
    TAKE_EAGER(40, false),
    /** The engine copied eager bytes: slot, bytes, offset. */
    COPY_EAGER(41, false),
    /** The engine copied eager bytes to a list: slot, bytes, list offset, entries, result. */
    COPY_EAGER_TO_LIST(42, false),
    /** The engine copied bytes out of the message: bytes, offset. */
    COPY_INLINE(43, false),
    /** The engine looked at a list: offset, entries, bytes, result. */
    CHECK_LIST(44, false),
    /** The engine stored a window's word: window, word. */
    OPEN_WINDOW(45, false),
    /** The engine read a window's word: window, result. */
    READ_WINDOW(46, false),
    /** The engine swapped a window's word: window, expected, word, result. */
    SWAP_WINDOW(47, false),
    /** The engine said on which tags sends wait: bits. */
    SEND_TAGS(48, false),
    /** The engine read how many cancels a client has begun: result. */
    READ_CANCELS(49, false),
    /**
     * The engine published bytes of the segment behind a message: offset, header, words, result.
     */
    SENT_DATA(50, false),
    /** The engine said whether it keeps messages of a client: word. */
    KEEPS(51, false),
    /** The engine said which slots it has given back to a client: word. */
    RETURNED(52, false),
    /** The engine read how many data slots a client has given back: result. */
    READ_DATA_SLOTS(53, false),
    /** The engine copied bytes of the server into a data slot: slot, offset, bytes. */
    FILL_DATA_SLOT(54, false),
    /** The engine asked whether a message would be published: result. */
    MAY_PUBLISH(55, false);

    private final int code;
    private final boolean isEvent;

    JournalKind(int code, boolean isEvent) {
        this.code = code;
        this.isEvent = isEvent;
    }

    /**
     * The number in a record.
     *
     * @return unique
     */
    public int code() {
        return code;
    }

    /**
     * Whether it enters the engine; what follows, up to the next one that does, came of it.
     *
     * @return false for what the engine did, and for header and end
     */
    public boolean isEvent() {
        return isEvent;
    }

    /**
     * The kind of a number.
     *
     * @return null if there is none
     */
    public static @Nullable JournalKind of(int code) {
        for (JournalKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }
}
