package org.jbmi.tcp.wire;

/** The fields of a header, to be filled again and again: reading one allocates nothing. */
public final class WireHeader {
    /** One of {@link WireMode}, or any value from a hostile peer. */
    public int mode;

    /** Any 32-bit value. */
    public int tag;

    /** The hash of the sending server's name, 0 from a client and in the OrangeFS dialect. */
    public int sourceHash;

    /** Length of the payload, or any value from a hostile peer. */
    public long sizeBytes;

    /** 0 to 255; meaningful for unexpected messages only. */
    public int messageClass;

    /** Makes a header of zeros. */
    public WireHeader() {}

    /**
     * Whether this is a header that the protocol allows.
     *
     * @param maxExpectedBytes the longest expected message to be taken
     * @param maxUnexpectedBytes the longest unexpected message to be taken
     * @return false if the peer broke the protocol, so that its stream cannot be read on
     */
    public boolean isAllowed(long maxExpectedBytes, long maxUnexpectedBytes) {
        long most = mode == WireMode.UNEXPECTED ? maxUnexpectedBytes : maxExpectedBytes;
        return WireMode.isKnown(mode) && sizeBytes >= 0 && sizeBytes <= most;
    }

    @Override
    public String toString() {
        return "mode " + mode + " tag " + tag + " size " + sizeBytes + " class " + messageClass;
    }
}
