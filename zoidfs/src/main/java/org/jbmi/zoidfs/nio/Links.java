package org.jbmi.zoidfs.nio;

import java.nio.file.LinkOption;
import java.util.List;

/** Whether links are followed. */
final class Links {
    private Links() {}

    static boolean follow(LinkOption... options) {
        return !List.of(options).contains(LinkOption.NOFOLLOW_LINKS);
    }
}
