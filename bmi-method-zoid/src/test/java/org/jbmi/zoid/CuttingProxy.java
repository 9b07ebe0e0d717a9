package org.jbmi.zoid;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a client and a gateway, and cuts the first connection after so many bytes toward
 * the gateway or toward the client. Later connections are left alone.
 */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final AtomicLong towardGateway;
    private final AtomicLong towardClient;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Thread accepter;
    private volatile boolean isClosing;
    private volatile boolean wasCut;

    CuttingProxy(InetSocketAddress target, long towardGateway, long towardClient)
            throws IOException {
        this.target = target;
        this.towardGateway = new AtomicLong(towardGateway);
        this.towardClient = new AtomicLong(towardClient);
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        this.accepter = Thread.ofPlatform().name("proxy").start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    boolean wasCut() {
        return wasCut;
    }

    private void accept() {
        boolean isFirst = true;
        while (!isClosing) {
            try {
                Socket client = listener.accept();
                Socket gateway = new Socket();
                gateway.connect(target);
                sockets.add(client);
                sockets.add(gateway);
                AtomicLong endless = new AtomicLong(Long.MAX_VALUE);
                pump(client, gateway, isFirst ? towardGateway : endless);
                pump(gateway, client, isFirst ? towardClient : endless);
                isFirst = false;
            } catch (IOException e) {
                // Closed, or the gateway is not there: the client sees that.
            }
        }
    }

    private synchronized void pump(Socket from, Socket to, AtomicLong left) {
        threads.add(Thread.ofPlatform().name("proxy").start(() -> copy(from, to, left)));
    }

    private void copy(Socket from, Socket to, AtomicLong left) {
        byte[] bytes = new byte[16 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            while (left.get() > 0) {
                int count = in.read(bytes, 0, (int) Math.min(bytes.length, left.get()));
                if (count < 0) {
                    return;
                }
                out.write(bytes, 0, count);
                left.addAndGet(-count);
            }
            wasCut = true;
        } catch (SocketTimeoutException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            // The other direction has closed both.
        }
    }

    @Override
    public void close() throws IOException {
        isClosing = true;
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        join(accepter);
        synchronized (this) {
            threads.forEach(CuttingProxy::join);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
