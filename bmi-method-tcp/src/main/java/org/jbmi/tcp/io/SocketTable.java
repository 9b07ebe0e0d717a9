package org.jbmi.tcp.io;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The system's own list of connections. A socket that is not read for lack of memory does not tell
 * whether its peer has gone, since the end stands behind the bytes that nobody takes; the system
 * knows it all the same. Where there is no such list, nobody is found to have gone. Reading it
 * takes time that grows with the connections of the whole host; only those that are asked for are
 * kept.
 */
public final class SocketTable {
    /** The peer is there, as far as anybody knows. */
    public static final int THERE = 0;

    /** The peer has closed. */
    public static final int CLOSED = 1;

    /** The connection was cut off. */
    public static final int CUT_OFF = 2;

    private static final List<Path> FILES =
            List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int ESTABLISHED = 1;
    private static final int HEX = 16;

    private static final int ABSENT = -1;

    private final Map<String, Integer> states = new HashMap<>();
    private boolean isKnown;

    /** Asks for a connection. */
    public void want(SocketAddress local, SocketAddress remote) {
        if (local instanceof InetSocketAddress own && remote instanceof InetSocketAddress other) {
            byte[] address = other.getAddress().getAddress();
            states.put(key(own.getPort(), address, other.getPort()), ABSENT);
            if (address.length == Integer.BYTES) {
                states.put(key(own.getPort(), mapped(address), other.getPort()), ABSENT);
            }
        }
    }

    /** Looks up all that were asked for, as they are now. */
    public void read() {
        for (Path file : FILES) {
            try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
                lines.readLine(); // the titles
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    add(line);
                }
                isKnown = true;
            } catch (IOException | RuntimeException e) {
                System.getLogger("org.jbmi.tcp").log(System.Logger.Level.TRACE, "no list", e);
            }
        }
    }

    private void add(String line) {
        String[] words = line.strip().split("\\s+", STATE + 2);
        if (words.length > STATE) {
            String local = words[LOCAL];
            String key = local.substring(local.indexOf(':') + 1) + " " + words[REMOTE];
            states.replace(key, Integer.parseInt(words[STATE], HEX));
        }
    }

    /** What became of the peer of a connection that was asked for. */
    public int stateOf(SocketAddress local, SocketAddress remote) {
        if (!isKnown
                || !(local instanceof InetSocketAddress own)
                || !(remote instanceof InetSocketAddress other)) {
            return THERE;
        }
        byte[] address = other.getAddress().getAddress();
        Integer state = states.get(key(own.getPort(), address, other.getPort()));
        if ((state == null || state == ABSENT) && address.length == Integer.BYTES) {
            state = states.get(key(own.getPort(), mapped(address), other.getPort()));
        }
        return stateOf(state);
    }

    private static int stateOf(@Nullable Integer state) {
        return state == null || state == ABSENT ? CUT_OFF : state == ESTABLISHED ? THERE : CLOSED;
    }

    private static String key(int localPort, byte[] remote, int remotePort) {
        return port(localPort) + " " + hex(remote) + ":" + port(remotePort);
    }

    private static String port(int port) {
        return HexFormat.of().withUpperCase().toHexDigits((short) port);
    }

    /** An IPv4 address as a socket for both families has it. */
    private static byte[] mapped(byte[] ipv4) {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(ipv4, 0, mapped, 12, ipv4.length);
        return mapped;
    }

    /** Addresses stand there as words of the machine's own byte order. */
    private static String hex(byte[] address) {
        byte[] turned = address.clone();
        if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
            for (int i = 0; i < address.length; i++) {
                turned[i] = address[(i & ~3) + 3 - (i & 3)];
            }
        }
        return HexFormat.of().withUpperCase().formatHex(turned);
    }
}
