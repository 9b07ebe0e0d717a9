package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Bytes, between user memory and the segment, by every way. */
@Timeout(60)
class ChannelPayloadTest extends ChannelsFixture {
    @Test
    void aLongMessageGoesFromClientToServerWithoutTouchingAnyOtherByte() {
        long size = 100_000;
        daemon.segment.segment().asSlice(expected(0), size + 64).fill((byte) 7);
        Message m = post(ServerRequests.POST_RECEIVE, 70, 5, size, expected(32));
        assertThat(m.kind()).isEqualTo(ServerEvents.REGISTERED);
        MemorySegment source = arena.allocate(size);
        source.fill((byte) 9);
        ClientRequests.send(m, 0, 1, 5, size, 0, NOT_EAGER, 0);
        assertThat(client.call(m, m, LONG_NS)).isEqualTo(PeerChannel.OK);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m)).isTrue();
        assertThat(mover.write(source, 0, 60)).isTrue();
        assertThat(mover.write(source, 60, size - 60)).isTrue();
        assertThat(mover.write(source, 0, 1)).isFalse();
        ClientRequests.done(m, ClientEvents.grantId(m), size, 0);
        assertThat(client.note(m, LONG_NS)).isEqualTo(PeerChannel.OK);
        Message completion = serverEvents.await(server, ServerEvents.COMPLETION);
        assertThat(ServerEvents.completedOperation(completion)).isEqualTo(70);
        assertThat(ServerEvents.completionBytes(completion)).isEqualTo(size);
        MemorySegment all = daemon.segment.segment();
        assertThat(all.get(ValueLayout.JAVA_BYTE, expected(31))).isEqualTo((byte) 7);
        assertThat(all.asSlice(expected(32), size).mismatch(source)).isEqualTo(-1);
        assertThat(all.get(ValueLayout.JAVA_BYTE, expected(32 + size))).isEqualTo((byte) 7);
    }

    @Test
    void aMessageGoesFromServerToClient() {
        long size = 5000;
        daemon.segment.segment().asSlice(expected(0), size).fill((byte) 3);
        Message m = post(ServerRequests.POST_SEND, 70, 5, size, expected(0));
        ClientRequests.receive(m, 0, 1, 5, size + 10, 0, ClientRequests.NO_DATA_ROOM);
        client.call(m, m, LONG_NS);
        assertThat(ClientEvents.grantBytes(m)).isEqualTo(size);
        MemorySegment target = arena.allocate(size);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m)).isTrue();
        assertThat(mover.read(target, 0, size)).isTrue();
        assertThat(mover.read(target, 0, 1)).isFalse();
        client.note(ClientRequests.done(m, ClientEvents.grantId(m), size, 0), LONG_NS);
        serverEvents.await(server, ServerEvents.COMPLETION);
        assertThat(target.asSlice(0, size).mismatch(arena.allocate(size).fill((byte) 3)))
                .isEqualTo(-1);
    }

    @Test
    void anEagerMessageIsTakenWhileTheClientIsAway() {
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(1000).fill((byte) 4);
        client.putEager(slot, 0, source, 0, 200);
        client.putEager(slot, 200, source, 200, 800);
        Message m = new Message();
        ClientRequests.send(m, 0, 1, 5, 1000, 0, slot, client.announceEager(slot));
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.PENDING);
        Message reply = post(ServerRequests.POST_RECEIVE, 70, 5, 1000, expected(0));
        assertThat(reply.kind()).isEqualTo(ServerEvents.POST_COMPLETED);
        assertThat(daemon.segment.segment().asSlice(expected(0), 1000).mismatch(source))
                .isEqualTo(-1);
        Message completed = clientEvents.await(client, ClientEvents.COMPLETED);
        assertThat(ClientEvents.reference(completed)).isEqualTo(1);
        client.releaseEagerSlot(slot);
    }

    @Test
    void anEagerMessageGoesIntoAListPieceByPiece() {
        MemorySegment all = daemon.segment.segment();
        long list = expected(1 << 20);
        long[] places = {expected(0), 10, expected(100), 0, expected(200), 90};
        for (int i = 0; i < places.length; i++) {
            all.set(ValueLayout.JAVA_LONG, list + i * 8L, places[i]);
        }
        Message m = new Message();
        int generation = client.generation();
        ServerRequests.post(
                m, ServerRequests.POST_RECEIVE, 0, 70, 1, generation, 5, ServerRequests.NEVER, 100);
        server.call(ServerRequests.place(m, 0, list, 3), m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ServerEvents.REGISTERED);
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(30);
        for (int i = 0; i < 30; i++) {
            source.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        client.putEager(slot, 0, source, 0, 30);
        ClientRequests.send(m, 0, 1, 5, 30, 0, slot, client.announceEager(slot));
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        assertThat(all.asSlice(expected(0), 10).mismatch(source.asSlice(0, 10))).isEqualTo(-1);
        assertThat(all.asSlice(expected(200), 20).mismatch(source.asSlice(10))).isEqualTo(-1);
    }

    @Test
    void listsThatAreNotSoundAreRefused() {
        MemorySegment all = daemon.segment.segment();
        long list = expected(1 << 20);
        long[][] bad = {
            {expected(0), 99},
            {expected(0), 101},
            {expected(0), -100},
            {expected(-1), 100},
            {daemon.map.unexpectedOffset(), 100},
            {Long.MAX_VALUE, 100},
            {expected((16L << 20) - 99), 100}
        };
        Message m = new Message();
        int generation = client.generation();
        for (long[] entry : bad) {
            all.set(ValueLayout.JAVA_LONG, list, entry[0]);
            all.set(ValueLayout.JAVA_LONG, list + 8, entry[1]);
            ServerRequests.post(
                    m,
                    ServerRequests.POST_RECEIVE,
                    0,
                    70,
                    1,
                    generation,
                    5,
                    ServerRequests.NEVER,
                    100);
            server.call(ServerRequests.place(m, 0, list, 1), m, LONG_NS);
            assertThat(m.kind())
                    .as("%d, %d", entry[0], entry[1])
                    .isEqualTo(ServerEvents.POST_REFUSED);
            assertThat((int) ServerEvents.answer(m)).isEqualTo(ErrorCode.EINVAL.negativeValue());
        }
    }

    @Test
    void unexpectedMessagesGoInlineEagerlyAndByGrant() {
        Message m = new Message();
        ClientRequests.sendUnexpected(m, 0, 1, 5, 3, 12, 0, ClientRequests.INLINE, 0);
        client.call(m.put(0x0807060504030201L).put(0x0c0b0a09), m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        ClientRequests.sendShort(m, 4, 8, 2, 88, false);
        for (int i = 0; i < 11; i++) {
            m.put(0x0101010101010101L * (i + 1));
        }
        assertThat(client.note(m, LONG_NS)).isEqualTo(PeerChannel.OK);
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(8192).fill((byte) 5);
        client.putEager(slot, 0, source, 0, 1024);
        long sequence = client.announceEager(slot);
        ClientRequests.sendUnexpected(m, 0, 2, 6, 0, 1024, 0, slot, sequence);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        client.releaseEagerSlot(slot);
        ClientRequests.sendUnexpected(m, 0, 3, 7, 0, 8192, 0, NOT_EAGER, 0);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m) && mover.write(source, 0, 8192)).isTrue();
        client.note(ClientRequests.done(m, ClientEvents.grantId(m), 8192, 0), LONG_NS);

        Message first = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(ServerEvents.tag(first)).isEqualTo(5);
        assertThat(ServerEvents.messageClass(first)).isEqualTo(3);
        assertThat(ServerEvents.session(first)).isEqualTo(1);
        MemorySegment all = daemon.segment.segment();
        for (int i = 0; i < 12; i++) {
            byte there = all.get(ValueLayout.JAVA_BYTE, ServerEvents.offset(first) + i);
            assertThat(there).isEqualTo((byte) (i + 1));
        }
        Message shortOne = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(ServerEvents.tag(shortOne)).isEqualTo(8);
        assertThat(ServerEvents.messageClass(shortOne)).isEqualTo(2);
        assertThat(ServerEvents.bytes(shortOne)).isEqualTo(88);
        for (int i = 0; i < 88; i++) {
            byte there = all.get(ValueLayout.JAVA_BYTE, ServerEvents.offset(shortOne) + i);
            assertThat(there).isEqualTo((byte) (i / 8 + 1));
        }
        Message second = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(ServerEvents.bytes(second)).isEqualTo(1024);
        Message third = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(all.asSlice(ServerEvents.offset(third), 8192).mismatch(source)).isEqualTo(-1);
        for (Message each : List.of(first, shortOne, second, third)) {
            server.note(ServerRequests.unexpectedFree(m, ServerEvents.offset(each)), LONG_NS);
        }
        daemon.inEngine(() -> {});
        ServerRequests.cancel(m, 0, 1, 1);
        server.call(m, m, LONG_NS);
        assertThat(ServerEvents.cancelOutcome(m)).isEqualTo(ServerEvents.UNKNOWN);
        daemon.inEngine(() -> assertThat(daemon.engine().liveUnexpectedBlocks()).isZero());
        assertThat(daemon.faults()).isEmpty();
    }

    @Test
    void aReplyThatIsAGrantIsClaimedAndAVoidOneIsTurnedIntoPending() {
        post(ServerRequests.POST_RECEIVE, 70, 5, 5000, expected(0));
        Message m = new Message();
        ClientRequests.send(m, 0, 1, 5, 5000, 0, NOT_EAGER, 0);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        assertThat(client.claim(m)).as("it has been claimed").isFalse();
        long operationId = ClientEvents.operationId(m);
        Message done = ClientRequests.done(new Message(), ClientEvents.grantId(m), 5000, 0);
        ((ShmClientLink) client).beforeReply(m);
        assertThat(m.kind()).isEqualTo(ClientEvents.PENDING);
        assertThat(ClientEvents.reference(m)).isEqualTo(1);
        assertThat(ClientEvents.operationId(m)).isEqualTo(operationId);
        client.note(done, LONG_NS);
        serverEvents.await(server, ServerEvents.COMPLETION);
    }
}
