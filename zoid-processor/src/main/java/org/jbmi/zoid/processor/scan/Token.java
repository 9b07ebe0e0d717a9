package org.jbmi.zoid.processor.scan;

/**
 * A piece of a C header.
 *
 * @param kind what it is
 * @param text its characters; of a comment what stands between its ends
 * @param line where it begins, from 1 on
 */
record Token(Kind kind, String text, int line) {
    enum Kind {
        WORD,
        NUMBER,
        SYMBOL,
        COMMENT,
        END
    }

    boolean is(String symbol) {
        return kind != Kind.COMMENT && text.equals(symbol);
    }
}
