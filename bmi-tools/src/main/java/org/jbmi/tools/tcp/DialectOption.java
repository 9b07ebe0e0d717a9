package org.jbmi.tools.tcp;

import org.jbmi.tcp.wire.Dialect;

import picocli.CommandLine.Option;

/** The option {@code --dialect}, and its effects on the echo. */
final class DialectOption {
    /** The bit of a tag that stands for class 1 in the dialect without classes. */
    private static final int CLASS_BIT = 1 << 30;

    @Option(
            names = "--dialect",
            paramLabel = "standalone|orangefs",
            defaultValue = "standalone",
            converter = DialectConverter.class,
            description = "The header on the wire; default: ${DEFAULT-VALUE}.")
    private Dialect dialect;

    /** For picocli. */
    DialectOption() {}

    String label() {
        return dialect.label();
    }

    /** The class with which to send a message. */
    int wireClass(int messageClass) {
        return dialect.hasClasses() ? messageClass : 0;
    }

    /** The tag with which to send a message of a class. */
    int wireTag(int tag, int messageClass) {
        boolean marked = !dialect.hasClasses() && messageClass == 1;
        return marked ? tag | CLASS_BIT : tag;
    }

    /** Whether a message announces a longer one. */
    boolean isAnnouncement(int messageClass, int tag) {
        return dialect.hasClasses() ? messageClass == 1 : (tag & CLASS_BIT) != 0;
    }

    /** Whether the dialect can send a class. */
    boolean hasClass(int messageClass) {
        return dialect.hasClasses() || messageClass <= 1;
    }
}
