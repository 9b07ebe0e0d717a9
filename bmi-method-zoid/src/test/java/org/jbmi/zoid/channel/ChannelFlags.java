package org.jbmi.zoid.channel;

import java.util.List;

/** What a virtual machine needs for every channel. */
final class ChannelFlags {
    static final List<String> ALL =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private ChannelFlags() {}
}
