package org.jbmi.zoid.forward.client;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.RemoteFunction;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.zoid.forward.wire.Names;
import org.jbmi.zoid.forward.wire.Packets;
import org.jbmi.zoid.forward.wire.Packets_AskCodec;
import org.jbmi.zoid.forward.wire.Packets_InCodec;
import org.jbmi.zoid.forward.wire.Packets_OutCodec;
import org.jbmi.zoid.forward.wire.Packets_TakenCodec;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;

/**
 * IPv4 packets between this process and the server's node, and through it to other hosts if the
 * server or the job allows it ({@code ZOID_ENABLE_NAT}). Packets may be dropped, as in any network.
 * Several threads may send; one at a time receives.
 */
public final class PacketLink implements AutoCloseable {
    /** The largest packet in bytes. */
    public static final int MOST_BYTES = Packets.MOST_BYTES;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final RemoteFunction<Packets.Out, Packets.Taken> sending;
    private final RemoteFunction<Packets.Ask, Packets.In> asking;
    private final PeerAddress server;
    private final int process;
    private final long key;
    private final int address;
    private final int node;
    private final ArrayDeque<byte[]> inbox = new ArrayDeque<>();
    private @Nullable ShippedCall<Packets.In> asked;

    PacketLink(Shipper shipper, PeerAddress server, int process, long key) {
        this.sending =
                shipper.function(
                        Names.PACKETS_OUT,
                        Packets_OutCodec.INSTANCE,
                        Packets_TakenCodec.INSTANCE,
                        Packets.Taken.class);
        this.asking =
                shipper.function(
                        Names.PACKETS_IN,
                        Packets_AskCodec.INSTANCE,
                        Packets_InCodec.INSTANCE,
                        Packets.In.class);
        this.server = server;
        this.process = process;
        this.key = key;
        Packets.In begun = asking.call(server, new Packets.Ask(process, key, true), PATIENCE);
        check(begun.error());
        this.address = begun.address();
        this.node = begun.node();
    }

    private static void check(int error) {
        if (error != 0) {
            ZoidError known = ZoidError.of(error);
            throw new ZoidException(
                    known == null ? ZoidError.EIO : known,
                    0,
                    "The server takes no packets of this process.");
        }
    }

    /**
     * The address of this process: packets that it sends come from there.
     *
     * @return an address of version 4
     */
    public InetAddress address() {
        return Packets.host(address);
    }

    /**
     * The address of the server's node.
     *
     * @return an address of version 4
     */
    public InetAddress node() {
        return Packets.host(node);
    }

    /**
     * Sends a packet.
     *
     * @param packet all of it, from its header on, {@link #MOST_BYTES} at most; it is copied
     * @throws ZoidException if the server takes no packets of this process
     * @throws CallFailedException if the server has gone or does not answer within 10 s, or if the
     *     thread is interrupted
     * @throws IllegalArgumentException if the packet is too large
     */
    public void send(byte[] packet) {
        if (packet.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "A packet has %d bytes at most, and not %d."
                            .formatted(MOST_BYTES, packet.length));
        }
        Packets.Out out =
                new Packets.Out(process, key, List.of(new Packets.Packet(packet.clone())));
        check(sending.call(server, out, PATIENCE).error());
    }

    /**
     * Waits for a packet.
     *
     * @param timeout the longest wait
     * @return all of it, from its header on; null if none has come
     * @throws ZoidException if the server does not know this process any more
     * @throws CallFailedException if the server has gone, or if the thread is interrupted
     */
    public synchronized byte @Nullable [] receive(Duration timeout) {
        if (inbox.isEmpty()) {
            fetch(timeout);
        }
        return inbox.pollFirst();
    }

    private void fetch(Duration timeout) {
        ShippedCall<Packets.In> call = asked;
        if (call == null) {
            call =
                    asking.withDeadline(Duration.ZERO)
                            .forward(server, new Packets.Ask(process, key, false));
            asked = call;
        }
        Packets.In in;
        try {
            in = call.await(timeout);
        } catch (CallFailedException e) {
            if (e.code() == ErrorCode.EAGAIN) {
                return; // it is still asked for
            }
            if (e.code() != ErrorCode.EINTR || e.isRemote()) {
                asked = null; // else the server answers it with the next packets
            }
            throw e;
        }
        asked = null;
        check(in.error());
        in.packets().forEach(packet -> inbox.addLast(packet.bytes()));
    }

    /**
     * Ends the link: cancels the request for packets and drops those that were not read. Waits
     * until a {@link #receive} of another thread returns. Do not use the link afterwards. The
     * client stays open.
     */
    @Override
    public synchronized void close() {
        ShippedCall<Packets.In> call = asked;
        if (call != null) {
            call.cancel();
        }
        asked = null;
        inbox.clear();
    }
}
