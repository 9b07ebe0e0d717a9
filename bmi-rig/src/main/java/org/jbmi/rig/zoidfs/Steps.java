package org.jbmi.rig.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;

/** The steps of both sides. */
final class Steps {
    private static final int SMALL_BYTES = 64;
    private static final int LINE_BYTES = 64;
    private static final long ANSWER_MS = 30_000;

    private Steps() {}

    /** The shape of transfers. */
    record Shape(long fileBytes, int bytes, boolean writing) {
        /** Offsets of one thread, in order, from an offset of its own. */
        Offsets inOrder(int thread, int threads) {
            long[] at = {fileBytes / threads * thread / bytes * bytes};
            return () -> {
                long offset = at[0];
                at[0] = offset + 2L * bytes > fileBytes ? 0 : offset + bytes;
                return offset;
            };
        }

        /** Offsets of one thread, at random. */
        Offsets anywhere(int thread) {
            SplittableRandom random = new SplittableRandom(thread);
            long blocks = fileBytes / bytes;
            return () -> random.nextLong(blocks) * bytes;
        }
    }

    /** Gives the offset of the next transfer. */
    interface Offsets {
        long next();
    }

    /** Reads or writes through a client. */
    static Step ofFile(ZoidfsClient client, FileHandle file, Shape shape, Offsets offsets) {
        MemorySegment memory = Arena.ofAuto().allocate(shape.bytes(), LINE_BYTES);
        memory.fill((byte) 1);
        return () -> {
            long offset = offsets.next();
            long moved =
                    shape.writing()
                            ? client.write(file, memory, offset)
                            : client.read(file, memory, offset);
            if (moved != shape.bytes()) {
                throw new EOFException("Only " + moved + " bytes moved at " + offset);
            }
        };
    }

    /** Reads or writes the file itself. */
    static Step ofChannel(FileChannel channel, Shape shape, Offsets offsets) {
        ByteBuffer memory = ByteBuffer.allocateDirect(shape.bytes());
        return () -> {
            memory.clear();
            long offset = offsets.next();
            int moved =
                    shape.writing() ? channel.write(memory, offset) : channel.read(memory, offset);
            if (moved != shape.bytes()) {
                throw new EOFException("Only " + moved + " bytes moved at " + offset);
            }
        };
    }

    /** Asks for the attributes of a file. */
    static Step ofAttributes(ZoidfsClient client, FileHandle file) {
        return () -> client.getAttributes(file);
    }

    /** Moves bytes over a raw connection, all in one direction. */
    static Step ofStream(int port, Shape shape) throws IOException {
        SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        byte direction = shape.writing() ? PeerMain.FROM_CLIENT : PeerMain.TO_CLIENT;
        channel.write(ByteBuffer.wrap(new byte[] {direction}));
        ByteBuffer memory = ByteBuffer.allocateDirect(shape.bytes());
        return new Step() {
            @Override
            public void run() throws IOException {
                memory.clear();
                while (memory.hasRemaining()) {
                    int moved = shape.writing() ? channel.write(memory) : channel.read(memory);
                    if (moved < 0) {
                        throw new EOFException("The other side is gone");
                    }
                }
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** A request of 64 bytes and its reply, by BMI alone. */
    static Step ofMessages(Bmi bmi, String address) {
        PeerAddress server = bmi.lookup(address);
        CompletionContext context = bmi.openContext();
        MemorySegment request = Arena.ofAuto().allocate(SMALL_BYTES, LINE_BYTES);
        MemorySegment reply = Arena.ofAuto().allocate(SMALL_BYTES, LINE_BYTES);
        return () -> {
            try {
                long receive = context.postReceive(server, reply, 1);
                long send = context.postSendUnexpected(server, request, 1);
                context.await(send, ANSWER_MS);
                context.await(receive, ANSWER_MS);
            } catch (BmiException e) {
                throw new IOException("A message was not answered: " + e.getMessage(), e);
            }
        };
    }
}
