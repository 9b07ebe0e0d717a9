package org.jbmi.zoid.daemon;

/** Texts that others say and the server passes on. */
final class ShortText {
    private static final int MOST_CHARS = 400;

    private ShortText() {}

    /** The beginning of a text. Half a surrogate pair at its end could not be sent. */
    static String of(String text) {
        if (text.length() <= MOST_CHARS) {
            return text;
        }
        boolean splits = Character.isHighSurrogate(text.charAt(MOST_CHARS - 1));
        return text.substring(0, splits ? MOST_CHARS - 1 : MOST_CHARS);
    }
}
