package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.RingBuffer;

/** Tells the posting stage what to do. For the ordering stage only. */
final class Outlet {
    private final RingBuffer<Outbound> ring;

    Outlet(RingBuffer<Outbound> ring) {
        this.ring = ring;
    }

    void send(DataMove move) {
        publish(Outbound.Kind.SEND, move);
    }

    void receive(DataMove move) {
        publish(Outbound.Kind.RECEIVE, move);
    }

    private void publish(Outbound.Kind kind, DataMove move) {
        long sequence = ring.next();
        Outbound slot = ring.get(sequence);
        slot.kind = kind;
        slot.move = move;
        ring.publish(sequence);
    }

    void reply(Call call, byte[] reply) {
        long sequence = ring.next();
        Outbound slot = ring.get(sequence);
        slot.kind = Outbound.Kind.REPLY;
        slot.call = call;
        slot.reply = reply;
        ring.publish(sequence);
    }
}
