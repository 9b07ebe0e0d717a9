package org.jbmi.zbmi.engine.port;

import org.jspecify.annotations.Nullable;

/** Why an operation is pending. The number of each is part of the protocol. */
public enum WaitReason {
    /** A send for which the other side has posted no receive. */
    NO_RECEIVE(1, "no receive was posted for it"),
    /** A receive for which the other side has posted no send. */
    NO_SEND(2, "no send was posted for it"),
    /** It is matched, and its client is in no call in which it could move the bytes. */
    CLIENT_NOT_IN_CALL(3, "matched, but the client is in no call"),
    /** Its client was asked to move the bytes, or is moving them. */
    MOVING(4, "being moved by its client"),
    /** There is no memory for unexpected messages. */
    NO_MEMORY(5, "no memory for unexpected messages"),
    /** Its client has as many transfers under way as it may have. */
    NO_CREDIT(6, "its client has all its transfers under way"),
    /** An older one of the same client waits, and order is kept. */
    BEHIND_OLDER(7, "behind an older one of its client"),
    /** No server is attached. */
    NO_SERVER(8, "no server is attached"),
    /** Its client was moving it and has gone, and its process may still live. */
    CLIENT_GONE(9, "its client has gone, but its process is not proved dead");

    private final int wire;
    private final String sentence;

    WaitReason(int wire, String sentence) {
        this.wire = wire;
        this.sentence = sentence;
    }

    /** Its number in frames. */
    public int toWire() {
        return wire;
    }

    /**
     * The reason that has a number.
     *
     * @return null if none has it
     */
    public static @Nullable WaitReason ofWire(int number) {
        for (WaitReason reason : values()) {
            if (reason.wire == number) {
                return reason;
            }
        }
        return null;
    }

    /** For people. */
    public String sentence() {
        return sentence;
    }
}
