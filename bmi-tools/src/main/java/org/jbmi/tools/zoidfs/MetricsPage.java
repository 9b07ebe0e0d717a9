package org.jbmi.tools.zoidfs;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** A page for Prometheus, for this host only. */
final class MetricsPage implements AutoCloseable {
    private static final String PATH = "/metrics";
    private static final int OK = 200;

    private final HttpServer server;

    private MetricsPage(HttpServer server) {
        this.server = server;
    }

    static MetricsPage open(int port, Supplier<String> report) throws IOException {
        HttpServer server;
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (BindException e) {
            throw new IOException(
                    "Port "
                            + port
                            + " cannot be opened for --metrics: "
                            + e.getMessage()
                            + ". Give another one, or 0 for any",
                    e);
        }
        server.createContext(
                PATH,
                exchange -> {
                    byte[] text = report.get().getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders()
                            .add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                    exchange.sendResponseHeaders(OK, text.length);
                    try (OutputStream out = exchange.getResponseBody()) {
                        out.write(text);
                    }
                });
        server.start();
        return new MetricsPage(server);
    }

    String address() {
        InetSocketAddress bound = server.getAddress();
        return "http://" + bound.getHostString() + ":" + bound.getPort() + PATH;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
