package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A peer that leaves while there is no memory. */
@Timeout(60)
class GoodbyeTest {
    @TempDir private Path folder;

    /** A server that leaves a daemon removes its files itself only if the daemon has ended. */
    @Test
    void whoLeavesAgainKnowsThatItHasSaidGoodbye() throws Exception {
        try (DirectWorld world = new DirectWorld(folder)) {
            world.client();
            PeerAttachment peer = world.lastAttached;
            LackAtClose.of(peer.socket());
            assertThatThrownBy(peer::leave).isInstanceOf(OutOfMemoryError.class);
            assertThat(peer.leave()).isTrue();
        }
    }
}
