package org.jbmi.zoid.channel;

import java.util.List;

/** What a virtual machine needs for every channel. */
final class ChannelFlags {
    static final List<String> ALL = List.of("--enable-native-access=ALL-UNNAMED");

    private ChannelFlags() {}
}
