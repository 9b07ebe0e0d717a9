package org.jbmi.tools.tcp;

import org.jbmi.tcp.wire.Dialect;

import picocli.CommandLine.Option;

/** The option {@code --dialect}, and what follows from it for the echo. */
final class DialectOption {
    /** Stands for class 1 where there are no classes. */
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

    /** The class to send a message with. */
    int wireClass(int messageClass) {
        return dialect.hasClasses() ? messageClass : 0;
    }

    /** The tag to send a message of a class with. */
    int wireTag(int tag, int messageClass) {
        boolean marked = !dialect.hasClasses() && messageClass == 1;
        return marked ? tag | CLASS_BIT : tag;
    }

    /** Whether a message announces a longer one. */
    boolean isAnnouncement(int messageClass, int tag) {
        return dialect.hasClasses() ? messageClass == 1 : (tag & CLASS_BIT) != 0;
    }

    /** Whether a class can be sent at all. */
    boolean hasClass(int messageClass) {
        return dialect.hasClasses() || messageClass <= 1;
    }
}
