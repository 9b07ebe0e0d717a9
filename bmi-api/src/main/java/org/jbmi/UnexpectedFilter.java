package org.jbmi;

/**
 * Which unexpected messages a {@link UnexpectedListener} takes: those of a range of classes and of
 * a range of tags, all four bounds included.
 *
 * @param firstClass lowest message class, 0 to 255
 * @param lastClass highest message class, {@code firstClass} to 255
 * @param firstTag lowest tag, any 32-bit value
 * @param lastTag highest tag, {@code firstTag} or more
 */
public record UnexpectedFilter(int firstClass, int lastClass, int firstTag, int lastTag) {
    /** The highest message class: one byte on the wire. */
    public static final int MAX_CLASS = 255;

    /** Every unexpected message. */
    public static final UnexpectedFilter ALL =
            new UnexpectedFilter(0, MAX_CLASS, Integer.MIN_VALUE, Integer.MAX_VALUE);

    /** Checks the bounds. */
    public UnexpectedFilter {
        if (firstClass < 0 || lastClass > MAX_CLASS || firstClass > lastClass) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "Message classes go from 0 to 255, not "
                            + firstClass
                            + " to "
                            + lastClass
                            + ".");
        }
        if (firstTag > lastTag) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The tag range " + firstTag + " to " + lastTag + " is empty.");
        }
    }

    /**
     * The messages of one class, whatever their tag.
     *
     * @param messageClass 0 to 255
     * @return a filter
     */
    public static UnexpectedFilter ofClass(int messageClass) {
        return new UnexpectedFilter(
                messageClass, messageClass, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /**
     * The messages of class 0 with a tag in a range.
     *
     * @param firstTag lowest tag
     * @param lastTag highest tag
     * @return a filter
     */
    public static UnexpectedFilter ofTags(int firstTag, int lastTag) {
        return new UnexpectedFilter(0, 0, firstTag, lastTag);
    }

    /**
     * Whether a message passes.
     *
     * @param messageClass its class
     * @param tag its tag
     * @return true if both lie in their range
     */
    public boolean accepts(int messageClass, int tag) {
        return messageClass >= firstClass
                && messageClass <= lastClass
                && tag >= firstTag
                && tag <= lastTag;
    }
}
