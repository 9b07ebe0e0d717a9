package org.jbmi.zoidfs.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Speaks the frames of the C library over a socket, byte by byte. */
final class RawClient implements AutoCloseable {
    private static final int MAGIC = 51_912;
    private static final int UNEXPECTED = 2;
    private static final int EAGER = 4;
    static final int HEADER_BYTES = 25;
    private static final int SILENCE_MS = 20_000;

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(SILENCE_MS);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    void sendUnexpected(int tag, byte[] body) throws IOException {
        sendBytes(unexpected(tag, body));
    }

    void sendExpected(int tag, byte[] body) throws IOException {
        sendBytes(expected(tag, body));
    }

    /** A frame with a request. */
    static byte[] unexpected(int tag, byte[] body) {
        return frame(UNEXPECTED, tag, body);
    }

    /** A frame with data. */
    static byte[] expected(int tag, byte[] body) {
        return frame(EAGER, tag, body);
    }

    private static byte[] frame(int mode, int tag, byte[] body) {
        ByteBuffer frame =
                ByteBuffer.allocate(HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(MAGIC).putInt(mode).putInt(tag).putInt(0).putLong(body.length);
        return frame.put((byte) 0).put(body).array();
    }

    /** Frames, or parts of some, in one write. */
    void sendBytes(byte[]... parts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        out.write(bytes.toByteArray());
        out.flush();
    }

    /** Goes without a goodbye: what is under way is thrown away. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** The body of the next frame, which must bear a tag. */
    byte[] receive(int tag) throws IOException {
        byte[] header = new byte[HEADER_BYTES];
        in.readFully(header);
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        if (fields.getInt(0) != MAGIC || fields.getInt(8) != tag) {
            throw new IOException(
                    "A frame with magic " + fields.getInt(0) + ", tag " + fields.getInt(8));
        }
        byte[] body = new byte[Math.toIntExact(fields.getLong(16))];
        in.readFully(body);
        return body;
    }

    /** A request without data, and its reply. */
    byte[] call(int tag, byte[] request) throws IOException {
        sendUnexpected(tag, request);
        return receive(tag);
    }

    /** Whether nothing more has come. */
    boolean isQuiet() throws IOException {
        return in.available() == 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
