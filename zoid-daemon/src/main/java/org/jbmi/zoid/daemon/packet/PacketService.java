package org.jbmi.zoid.daemon.packet;

import org.jbmi.shipper.Call;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.wire.Names;
import org.jbmi.zoid.forward.wire.Packets;
import org.jbmi.zoid.forward.wire.Packets_AskCodec;
import org.jbmi.zoid.forward.wire.Packets_InCodec;
import org.jbmi.zoid.forward.wire.Packets_OutCodec;
import org.jbmi.zoid.forward.wire.Packets_TakenCodec;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** The functions by which processes send packets and fetch theirs. Safe for use by any thread. */
public final class PacketService {
    private final Processes processes;
    private final LongConsumer sent;
    private final LongConsumer received;
    private final Map<Integer, Relay> relays = HashMaps.prepared(new HashMap<>());

    /** Looks up processes. */
    public interface Processes {
        /**
         * Whether a process is connected.
         *
         * @param process its number
         * @param key the key with which the process has connected
         * @return false if there is no such process
         */
        boolean isThere(int process, long key);

        /**
         * Whether packets of a process may leave the node.
         *
         * @return true if the server or its job wants that
         */
        boolean translates(int process);
    }

    /**
     * Makes a service without packets.
     *
     * @param processes the processes
     * @param sent gets the size of each packet for a process
     * @param received gets the size of each packet from one
     */
    public PacketService(Processes processes, LongConsumer sent, LongConsumer received) {
        this.processes = processes;
        this.sent = sent;
        this.received = received;
    }

    /** Registers the functions. */
    public void register(ShipperServer server) {
        server.register(
                Names.PACKETS_OUT,
                Packets_OutCodec.INSTANCE,
                Packets_TakenCodec.INSTANCE,
                this::take);
        server.register(
                Names.PACKETS_IN, Packets_AskCodec.INSTANCE, Packets_InCodec.INSTANCE, this::give);
    }

    private Packets.Taken take(Call<Packets.Out, Packets.Taken> call) {
        Packets.Out out = call.input();
        if (isForeign(call)) {
            return new Packets.Taken(ZoidError.EACCES.number());
        }
        Relay relay = relay(out.process(), out.key());
        if (relay == null) {
            return new Packets.Taken(ZoidError.ESRCH.number());
        }
        if (out.packets().size() > Packets.MOST_PACKETS) {
            return new Packets.Taken(ZoidError.E2BIG.number());
        }
        for (Packets.Packet packet : out.packets()) {
            received.accept(packet.bytes().length);
            relay.take(packet.bytes());
        }
        return new Packets.Taken(0);
    }

    /** Runs until a packet comes; its thread is interrupted when the process ends. */
    private Packets.In give(Call<Packets.Ask, Packets.In> call) throws InterruptedException {
        Packets.Ask ask = call.input();
        if (isForeign(call)) {
            return none(ZoidError.EACCES);
        }
        Relay relay = relay(ask.process(), ask.key());
        if (relay == null) {
            return none(ZoidError.ESRCH);
        }
        List<Packets.Packet> packets = ask.begins() ? List.of() : relay.fetch();
        packets.forEach(packet -> sent.accept(packet.bytes().length));
        return new Packets.In(0, relay.address(), Relay.NODE, packets);
    }

    /** Whether a client may be another user's, who can reach the port but must not use the node. */
    private static boolean isForeign(Call<?, ?> call) {
        return !call.client().isOwnUser();
    }

    private static Packets.In none(ZoidError error) {
        return new Packets.In(error.number(), 0, 0, List.of());
    }

    private synchronized @Nullable Relay relay(int process, long key) {
        if (!processes.isThere(process, key)) {
            return null;
        }
        return relays.computeIfAbsent(
                process, id -> new Relay(id, processes.translates(id), Packets::host));
    }

    /** A process has ended. */
    public synchronized void forget(int process) {
        Relay relay = relays.remove(process);
        if (relay != null) {
            relay.close();
        }
    }
}
