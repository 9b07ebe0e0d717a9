package org.jbmi.testsuite.golden;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/** The side that is played by plain sockets: sends what was recorded, compares what comes. */
final class RawSide implements AutoCloseable {
    private static final int TIMEOUT_MS = 20_000;

    private final Recording recording;
    private final Recording.Side side;
    private final Signals signals;
    private final ServerSocket listener;
    private final Map<Integer, Socket> sockets = new TreeMap<>();
    private final Queue<Recording.Chunk> toSend = new ArrayDeque<>();
    private final Queue<Recording.Chunk> toCome = new ArrayDeque<>();
    private volatile int otherPort;

    RawSide(Recording recording, Recording.Side side, Signals signals) throws IOException {
        this.recording = recording;
        this.side = side;
        this.signals = signals;
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(TIMEOUT_MS);
        for (Recording.Chunk chunk : recording.chunks()) {
            (chunk.from().equals(side.name()) ? toSend : toCome).add(chunk);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Where the library listens; set before {@link #run} where it is needed. */
    void otherPort(int port) {
        otherPort = port;
    }

    /** Plays the script; throws what went wrong. */
    void run(long deadlineNs) throws IOException, InterruptedException {
        int receiving = 0;
        for (String step : side.script()) {
            String[] words = step.split(":", -1);
            switch (words[0]) {
                case "X", "S", "s" -> sendNext();
                case "U" -> expectNext(Integer.parseInt(words[1]));
                case "R" -> expectNext(1);
                case "r" -> receiving++;
                case "W" -> {
                    expectNext(receiving);
                    receiving = 0;
                }
                case "N" -> signals.give(words[1]);
                case "G" -> signals.await(words[1], deadlineNs);
                case "L", "A", "P", "Z" -> {}
                default -> throw new IllegalArgumentException("An unknown step: " + step);
            }
        }
        expectNext(toCome.size());
    }

    private void sendNext() throws IOException {
        Recording.Chunk chunk = toSend.poll();
        if (chunk != null) { // nothing was recorded of a message that is refused
            socket(chunk.connection()).getOutputStream().write(chunk.bytes());
        }
    }

    private void expectNext(int count) throws IOException {
        for (int i = 0; i < count && !toCome.isEmpty(); i++) {
            Recording.Chunk chunk = toCome.remove();
            byte[] came =
                    socket(chunk.connection()).getInputStream().readNBytes(chunk.bytes().length);
            if (came.length < chunk.bytes().length) {
                throw new EOFException("The library closed the connection too early.");
            }
            if (!chunk.isSame(came)) {
                throw new IOException("The bytes of the message with tag " + chunk.tag());
            }
        }
    }

    private Socket socket(int connection) throws IOException {
        Socket open = sockets.get(connection);
        if (open == null) {
            boolean own = recording.openers().get(connection).equals(side.name());
            open = own ? connect() : listener.accept();
            open.setTcpNoDelay(true);
            open.setSoTimeout(TIMEOUT_MS);
            sockets.put(connection, open);
        }
        return open;
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), otherPort), TIMEOUT_MS);
        return socket;
    }

    /** Whether the library sent more than was recorded; called when it has closed. */
    @Nullable String leftOver() throws IOException {
        for (Socket socket : sockets.values()) {
            int next = socket.getInputStream().read();
            if (next >= 0) {
                return "The library sent more than was recorded.";
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets.values()) {
            socket.close();
        }
        listener.close();
    }
}
