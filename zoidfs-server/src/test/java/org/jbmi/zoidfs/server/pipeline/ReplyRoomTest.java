package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;

/** What a call holds of the room for replies. */
class ReplyRoomTest {
    private static final long SIZE_BYTES = 32 << 20;

    private final ReplyRoom room = new ReplyRoom(SIZE_BYTES);

    private Call lister() {
        PeerAddress peer =
                (PeerAddress)
                        Proxy.newProxyInstance(
                                PeerAddress.class.getClassLoader(),
                                new Class<?>[] {PeerAddress.class},
                                (proxy, method, arguments) -> null);
        Call call = new Call(peer, 0, 0);
        call.decoded(Request.readdir(FileHandle.NONE, 0, 100, 0, Hints.NONE));
        call.reserve(room);
        assertThat(room.heldBytes()).isEqualTo(call.listBytes()).isEqualTo(1 << 20);
        return call;
    }

    @Test
    void aReplyTakesThePlaceOfTheShareOfItsList() {
        Call call = lister();
        call.replied(room, 100);
        assertThat(room.heldBytes()).isEqualTo(100);
        call.leave(room);
        assertThat(room.heldBytes()).isZero();
    }

    /** As one does for which there is no memory, not even for a short reply. */
    @Test
    void aListThatEndsWithoutAReplyGivesItsShareBack() {
        Call call = lister();
        call.leave(room);
        assertThat(room.heldBytes()).isZero();
    }
}
