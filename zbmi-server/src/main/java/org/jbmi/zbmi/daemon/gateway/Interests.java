package org.jbmi.zbmi.daemon.gateway;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** What a selector waits for. For the gateway's thread. */
final class Interests {
    private Interests() {}

    /**
     * Tells a selector again what to wait for. The selector forgets a change for which it finds no
     * memory, and later treats the same value as no change. If this fails for want of memory, it is
     * to be called again.
     */
    static void renew(Selector selector) {
        for (SelectionKey key : selector.keys()) {
            if (key.isValid()) {
                int operations = key.interestOps();
                try {
                    key.interestOps(operations ^ key.channel().validOps());
                } finally {
                    key.interestOps(operations);
                }
            }
        }
    }
}
