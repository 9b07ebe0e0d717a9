package org.jbmi.zoidfs.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A link to a server that a test can cut, hold and mend. It stays at its address whatever becomes
 * of the server, and leads to the port that it was told last.
 */
final class Link implements AutoCloseable {
    /** What the link does with bytes. */
    private enum State {
        WHOLE,
        /** Connections are closed, new ones too. */
        CUT,
        /** Nothing moves, and nobody is told. */
        HELD
    }

    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong movedBytes = new AtomicLong();
    private final Object changed = new Object();
    private State state = State.WHOLE;
    private State next = State.WHOLE;
    private long changesAt = Long.MAX_VALUE;
    private volatile long pauseNsPerByte;
    private volatile int port;
    private volatile boolean closed;

    Link(int port) throws IOException {
        this.port = port;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "tcp://127.0.0.1:" + listening.getLocalPort();
    }

    /** The server is there now. */
    void leadTo(int newPort) {
        port = newPort;
    }

    /** Closes its connections once so many more bytes went over it, and refuses new ones. */
    void cutAfter(long bytes) {
        changeAfter(bytes, State.CUT);
    }

    /** Lets nothing through once so many more bytes went over it, and tells nobody. */
    void holdAfter(long bytes) {
        changeAfter(bytes, State.HELD);
    }

    /** Lets no more than so many bytes a second through, in each direction. */
    void slowTo(long bytesPerSecond) {
        pauseNsPerByte = TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    }

    private void changeAfter(long bytes, State newState) {
        synchronized (changed) {
            next = newState;
            changesAt = movedBytes.get() + bytes;
        }
    }

    boolean isHeld() {
        synchronized (changed) {
            return state == State.HELD;
        }
    }

    /** Counts what goes over it, and waits or fails where nothing may. */
    private void let(int bytes) throws IOException, InterruptedException {
        boolean cut;
        synchronized (changed) {
            if (movedBytes.addAndGet(bytes) > changesAt) {
                changesAt = Long.MAX_VALUE;
                state = next;
            }
            while (state == State.HELD && !closed) {
                changed.wait();
            }
            cut = state == State.CUT;
        }
        if (cut) {
            sockets.forEach(Link::closeQuietly);
            throw new IOException("The link is cut");
        }
    }

    void mend() {
        become(State.WHOLE);
    }

    private void become(State newState) {
        synchronized (changed) {
            state = newState;
            changed.notifyAll();
        }
    }

    private boolean isCut() {
        synchronized (changed) {
            return state == State.CUT;
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket near = listening.accept();
                sockets.add(near);
                Thread.ofVirtual().start(() -> connect(near));
            } catch (IOException e) {
                // It is closed.
            }
        }
    }

    private void connect(Socket near) {
        try {
            if (isCut()) {
                throw new IOException("The link is cut");
            }
            Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
            sockets.add(far);
            Thread.ofVirtual().start(() -> pump(near, far));
            pump(far, near);
        } catch (IOException e) {
            closeQuietly(near);
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] bytes = new byte[16_384];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                let(count);
                TimeUnit.NANOSECONDS.sleep(count * pauseNsPerByte);
                out.write(bytes, 0, count);
            }
        } catch (IOException e) {
            // One of both ended it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nobody to be told.
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        become(State.CUT);
        listening.close();
        sockets.forEach(Link::closeQuietly);
    }
}
