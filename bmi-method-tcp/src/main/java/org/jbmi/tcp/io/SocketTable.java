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
 * The system's list of connections. A socket that tcp does not read, for lack of memory, does not
 * show that its peer has closed. The end comes after the unread bytes. The system's list shows it.
 * On a system without such a list no peer is found closed. Reading takes time in proportion to the
 * connections of the host; only requested ones are kept.
 */
public final class SocketTable {
    /** The peer is connected, as far as is known. */
    public static final int THERE = 0;

    /** The peer has closed. */
    public static final int CLOSED = 1;

    /** The connection was reset. */
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
    private final List<Path> files;
    private boolean isKnown;

    /** The list of this system. */
    public SocketTable() {
        this(FILES);
    }

    /** A list in these files; a missing one stands for a family that the system does not have. */
    public SocketTable(List<Path> files) {
        this.files = files;
    }

    /** Requests a connection. */
    public void want(SocketAddress local, SocketAddress remote) {
        if (local instanceof InetSocketAddress own && remote instanceof InetSocketAddress other) {
            byte[] address = other.getAddress().getAddress();
            states.put(key(own.getPort(), address, other.getPort()), ABSENT);
            if (address.length == Integer.BYTES) {
                states.put(key(own.getPort(), mapped(address), other.getPort()), ABSENT);
            }
        }
    }

    /** Reads the states of all requested connections. */
    public void read() {
        boolean isWhole = true;
        boolean isAny = false;
        for (Path file : files) {
            if (Files.notExists(file)) {
                continue; // the system has no such family
            }
            try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
                lines.readLine(); // the titles
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    add(line);
                }
                isAny = true;
            } catch (IOException | RuntimeException e) {
                isWhole = false;
                System.getLogger("org.jbmi.tcp").log(System.Logger.Level.TRACE, "no list", e);
            }
        }
        isKnown = isAny && isWhole; // what is missing in a part of the list may be connected
    }

    private void add(String line) {
        String[] words = line.strip().split("\\s+", STATE + 2);
        if (words.length > STATE) {
            String local = words[LOCAL];
            String key = local.substring(local.indexOf(':') + 1) + " " + words[REMOTE];
            states.replace(key, Integer.parseInt(words[STATE], HEX));
        }
    }

    /** The state of the peer of a requested connection. */
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

    /** An IPv4 address in the form of a socket for both families. */
    private static byte[] mapped(byte[] ipv4) {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(ipv4, 0, mapped, 12, ipv4.length);
        return mapped;
    }

    /** The list has addresses as words in the machine's byte order. */
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
