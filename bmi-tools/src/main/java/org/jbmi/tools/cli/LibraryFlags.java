package org.jbmi.tools.cli;

import java.util.List;

/** JVM options that the libraries need. */
public final class LibraryFlags {
    /** What Chronicle Queue needs, for a journal or as a channel; harmless for other programs. */
    public static final List<String> CHRONICLE =
            List.of(
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private LibraryFlags() {}
}
