package org.jbmi.zoid.daemon.packet;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.wire.Packets;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The packets of one process. The server's node answers echo requests, and takes datagrams for its
 * own ports. Datagrams to other hosts are sent from a socket of the server, if translation is on.
 * Other packets get the protocol's error. Everything is bounded, and packets beyond a limit are
 * dropped.
 */
final class Relay implements AutoCloseable {
    /** The address of the server's node, for all processes. */
    static final int NODE = 0x0a000001;

    private static final int LOCALHOST = 0x7f000001;
    private static final int NET = 0x0a000000;
    private static final int NET_MASK = 0xff000000;
    private static final int MOST_WAITING = 256;
    private static final int MOST_FLOWS = 64;
    private static final int HEADERS_BYTES = 28;

    private final int address;
    private final boolean translates;
    private final IntFunction<InetAddress> outside;
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();

    /** The least recently used flow comes first, and is closed first. */
    private final Map<Flow, DatagramChannel> flows =
            HashMaps.prepared(new LinkedHashMap<>(16, 0.75f, true));

    private boolean closed;

    /** A port of the process and a port elsewhere. */
    private record Flow(int from, int destination, int to) {}

    /**
     * Makes a relay.
     *
     * @param process the number of the process, from which its address follows
     * @param translates whether its packets may leave the node
     * @param outside the host of an address outside of the node
     */
    Relay(int process, boolean translates, IntFunction<InetAddress> outside) {
        this.outside = outside;
        this.address = NET | ((process + 1) & ~NET_MASK);
        this.translates = translates;
    }

    int address() {
        return address;
    }

    /** Takes a packet of the process. */
    void take(byte[] bytes) {
        Ipv4 packet = bytes.length > Packets.MOST_BYTES ? null : Ipv4.parse(bytes);
        if (packet == null || packet.source() != address) {
            return;
        }
        if (packet.destination() == NODE) {
            node(packet);
        } else if (!translates || isInside(packet.destination())) {
            tell(packet.trouble(Ipv4.UNREACHABLE, Ipv4.PROHIBITED));
        } else if (packet.hops() <= 1) {
            tell(packet.trouble(Ipv4.TOO_MANY_HOPS, 0));
        } else if (packet.protocol() == Ipv4.UDP) {
            send(packet);
        } else {
            tell(packet.trouble(Ipv4.UNREACHABLE, Ipv4.PROTOCOL_UNREACHABLE));
        }
    }

    private void node(Ipv4 packet) {
        if (packet.isEcho()) {
            tell(packet.echo());
        } else if (packet.protocol() == Ipv4.UDP) {
            send(packet);
        } else {
            tell(packet.trouble(Ipv4.UNREACHABLE, Ipv4.PROTOCOL_UNREACHABLE));
        }
    }

    /** Addresses of other processes and of this host, and addresses without a single host. */
    private static boolean isInside(int destination) {
        int first = destination >>> 24;
        return (destination & NET_MASK) == NET || first == 0 || first == 127 || first >= 224;
    }

    // ------------------------------------------------------------------ datagrams

    private void send(Ipv4 packet) {
        Ipv4.Datagram datagram = packet.datagram();
        if (datagram == null) {
            return;
        }
        Flow flow = new Flow(datagram.from(), packet.destination(), datagram.to());
        DatagramChannel channel = channel(flow);
        try {
            if (channel != null) {
                channel.write(ByteBuffer.wrap(datagram.content()));
            }
        } catch (PortUnreachableException e) {
            tell(packet.trouble(Ipv4.UNREACHABLE, Ipv4.PORT_UNREACHABLE));
        } catch (IOException e) {
            forget(flow, channel);
        }
    }

    private synchronized @Nullable DatagramChannel channel(Flow flow) {
        try {
            DatagramChannel known = flows.get(flow);
            if (known != null || closed) {
                return known;
            }
            DatagramChannel channel = DatagramChannel.open();
            try {
                channel.connect(new InetSocketAddress(host(flow.destination()), flow.to()));
            } catch (IOException | IllegalArgumentException e) {
                channel.close();
                return null;
            }
            if (flows.size() >= MOST_FLOWS) {
                Iterator<DatagramChannel> oldest = flows.values().iterator();
                close(oldest.next());
                oldest.remove();
            }
            start(flow, channel);
            return channel;
        } catch (IOException e) {
            return null;
        }
    }

    /** Keeps a flow only with a thread that receives: else its answers would not come. */
    private void start(Flow flow, DatagramChannel channel) {
        try {
            flows.put(flow, channel);
            Thread.ofVirtual().name("zoid-datagrams").start(() -> receive(flow, channel));
        } catch (RuntimeException | Error e) {
            flows.remove(flow);
            close(channel);
            throw e;
        }
    }

    private InetAddress host(int destination) {
        return destination == NODE ? Packets.host(LOCALHOST) : outside.apply(destination);
    }

    /** Datagrams that come back go to the process from the address that it had sent to. */
    private void receive(Flow flow, DatagramChannel channel) {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(Packets.MOST_BYTES);
            while (true) {
                buffer.clear();
                try {
                    channel.read(buffer);
                } catch (PortUnreachableException e) {
                    tell(sent(flow).trouble(Ipv4.UNREACHABLE, Ipv4.PORT_UNREACHABLE));
                    continue;
                }
                buffer.flip();
                if (buffer.remaining() <= Packets.MOST_BYTES - HEADERS_BYTES) {
                    byte[] content = new byte[buffer.remaining()];
                    buffer.get(content);
                    tell(
                            Ipv4.of(
                                    flow.destination(),
                                    address,
                                    new Ipv4.Datagram(flow.to(), flow.from(), content)));
                }
            }
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "packets", e);
        } finally {
            forget(flow, channel); // also after an Error, and for failures of the close
        }
    }

    /** A packet with the addresses of the one that the process sent. */
    private Ipv4 sent(Flow flow) {
        return Ipv4.of(
                address,
                flow.destination(),
                new Ipv4.Datagram(flow.from(), flow.to(), new byte[0]));
    }

    private synchronized void forget(Flow flow, @Nullable DatagramChannel channel) {
        if (channel != null && flows.remove(flow, channel)) {
            close(channel);
        }
    }

    private static void close(DatagramChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "packets", e);
        }
    }

    // ------------------------------------------------------------------ to the process

    private synchronized void tell(@Nullable Ipv4 packet) {
        if (packet != null && waiting.size() < MOST_WAITING && !closed) {
            waiting.addLast(packet.bytes());
            notifyAll();
        }
    }

    /** Waits for packets; none after the end. */
    synchronized List<Packets.Packet> fetch() throws InterruptedException {
        while (waiting.isEmpty() && !closed) {
            wait();
        }
        List<Packets.Packet> packets = new ArrayList<>();
        while (!waiting.isEmpty() && packets.size() < Packets.MOST_PACKETS) {
            packets.add(new Packets.Packet(waiting.removeFirst()));
        }
        return packets;
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.clear();
        flows.values().forEach(Relay::close);
        flows.clear();
        notifyAll();
    }
}
