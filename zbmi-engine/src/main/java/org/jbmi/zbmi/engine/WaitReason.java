package org.jbmi.zbmi.engine;

/** Why an operation is not over. */
public enum WaitReason {
    /** The other side has posted nothing that it could be matched with. */
    NO_MATCH("nothing to match it with has been posted"),
    /** It is matched, and its client is in no call in which it could move the bytes. */
    CLIENT_NOT_IN_CALL("matched, but the client is in no call"),
    /** Its client has been asked to move the bytes, or is at it. */
    MOVING("its client has been granted the transfer"),
    /** There is no memory for unexpected messages. */
    NO_MEMORY("no memory for unexpected messages"),
    /** An older unexpected message of the same client waits. */
    BEHIND_OLDER("an older message of its client waits"),
    /** No server is attached. */
    NO_SERVER("no server is attached");

    private final String sentence;

    WaitReason(String sentence) {
        this.sentence = sentence;
    }

    /** For people. */
    public String sentence() {
        return sentence;
    }
}
