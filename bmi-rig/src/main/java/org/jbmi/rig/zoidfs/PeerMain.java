package org.jbmi.rig.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Program;
import org.jbmi.tools.zoidfs.ServeCommand;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;

/** The main program of the servers: zoidfs, and those that it is compared with. */
public final class PeerMain {
    static final String FILES = "files";
    static final String STREAM = "stream";
    static final String ANSWERS = "answers";
    static final byte TO_CLIENT = 1;
    static final byte FROM_CLIENT = 2;

    private static final int BLOCK_BYTES = 1 << 20;
    private static final int REPLY_BYTES = 64;
    private static final int MESSAGES = 128;
    private static final long IDLE_MS = 200;

    private PeerMain() {}

    /**
     * Runs until a signal ends the process, or its standard input ends: that of the program that
     * measures, even if it was killed.
     *
     * @param args {@code files} and what {@code zoidfs serve} takes; {@code stream}; or {@code
     *     answers}, an address and knobs
     * @throws IOException if nobody can connect
     */
    public static void main(String[] args) throws IOException {
        Thread.ofPlatform().daemon().name("perf-input").start(PeerMain::endWithInput);
        switch (args[0]) {
            case FILES ->
                    System.exit(
                            Program.run(
                                    new ServeCommand(), Arrays.copyOfRange(args, 1, args.length)));
            case STREAM -> stream();
            default -> answer(args);
        }
    }

    private static void endWithInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // Nobody can end it by its input any more, so it ends now.
        }
        System.exit(0);
    }

    /** The first byte of a connection says in which direction its bytes go. */
    private static void stream() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println("ready " + listener.socket().getLocalPort());
            while (true) {
                SocketChannel connected = listener.accept();
                Thread.ofPlatform().daemon().start(() -> stream(connected));
            }
        }
    }

    private static void stream(SocketChannel connected) {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        try (connected) {
            block.limit(1);
            connected.read(block);
            boolean sends = block.get(0) == TO_CLIENT;
            while (true) {
                block.clear();
                if ((sends ? connected.write(block) : connected.read(block)) < 0) {
                    return;
                }
            }
        } catch (IOException e) {
            // The client has closed the connection.
        }
    }

    /** Answers each unexpected message with one of 64 bytes. */
    private static void answer(String[] args) {
        BmiBuilder builder = Bmi.builder().listen(args[1]);
        List<String> knobs = List.of(args).subList(2, args.length);
        Assignments.parse("answers", knobs, IllegalArgumentException::new).forEach(builder::knob);
        try (Bmi bmi = builder.open();
                Arena arena = Arena.ofShared()) {
            CompletionContext context = bmi.openContext();
            MemorySegment reply = arena.allocate(REPLY_BYTES, REPLY_BYTES);
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(MESSAGES);
            Completions done = Completions.ofCapacity(MESSAGES);
            // The shutdown hook ends the loop.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(bmi::close));
            System.out.println("ready " + new ListenAddresses(List.of(args[1])).resolved(bmi));
            while (!bmi.isClosed()) {
                int count = bmi.testUnexpected(messages, IDLE_MS);
                for (int i = 0; i < count; i++) {
                    PeerAddress peer = messages.peer(i);
                    int tag = messages.tag(i);
                    bmi.unexpectedFree(messages.payload(i));
                    if (PostResult.isPending(context.postSend(peer, reply, tag))) {
                        context.testContext(done, 0);
                    }
                }
            }
        } catch (BmiException e) {
            if (e.code() != ErrorCode.EINVAL) {
                throw e;
            }
            // The instance is closed, as expected.
        }
    }
}
