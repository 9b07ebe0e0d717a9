package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.Shipped;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;

/** Packets of the internet protocol, version 4, between a process and the server's node. */
public final class Packets {
    /** How large a packet may be. */
    public static final int MOST_BYTES = 1500;

    /** How many packets one message holds. */
    public static final int MOST_PACKETS = 32;

    private Packets() {}

    /** {@return the host that has an address of version 4} */
    public static InetAddress host(int address) {
        try {
            return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Four bytes are an address.", e);
        }
    }

    /**
     * A packet, from its header on.
     *
     * @param bytes all of it
     */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // handed on, and never compared
    public record Packet(byte[] bytes) {}

    /**
     * Packets that a process sends.
     *
     * @param process its number
     * @param key the key with which it has connected
     * @param packets what is sent
     */
    @Shipped
    public record Out(int process, long key, List<Packet> packets) {}

    /**
     * The answer to sent packets. Some may be lost on their way, as in every network.
     *
     * @param error 0, or why the server takes no packets of this process
     */
    @Shipped
    public record Taken(int error) {}

    /**
     * A process waits for packets.
     *
     * @param process its number
     * @param key the key with which it has connected
     * @param begins whether it only asks for its address
     */
    @Shipped
    public record Ask(int process, long key, boolean begins) {}

    /**
     * Packets for a process.
     *
     * @param error 0, or why there are none for this process
     * @param address its address
     * @param node the address of the server's node
     * @param packets what has come
     */
    @Shipped
    public record In(int error, int address, int node, List<Packet> packets) {}
}
