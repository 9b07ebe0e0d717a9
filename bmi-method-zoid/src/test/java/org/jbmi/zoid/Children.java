package org.jbmi.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Processes beside the test: each says a word when it is where it should be, and ends with its
 * input.
 */
final class Children {
    /** Tag of what a child sends. */
    static final int TAG = 42;

    /** Too long for a data slot. */
    static final int LONG = 10_000;

    /** Size of the transfer in which a child stops. */
    static final int BYTES = 1 << 20;

    private Children() {}

    /** A child that runs. */
    record Child(Process process, BufferedReader out) implements AutoCloseable {
        void says(String word) throws IOException {
            String line = out.readLine();
            if (!word.equals(line)) {
                throw new AssertionError("the child said " + line + " and not " + word);
            }
        }

        void say(String word) throws IOException {
            process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        void signal(String name) throws IOException, InterruptedException {
            List<String> command = List.of("kill", "-" + name, Long.toString(process.pid()));
            int status = new ProcessBuilder(command).start().waitFor();
            if (status != 0) {
                throw new AssertionError("kill -" + name + " ended with " + status);
            }
            if (name.equals("STOP")) {
                ZoidWorld.await("it stands still", 20_000, this::isStopped);
            }
        }

        // On a busy machine the others run on until the thread that got the signal has its turn.
        private boolean isStopped() {
            Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
            try (Stream<Path> all = Files.list(threads)) {
                for (Path thread : (Iterable<Path>) all::iterator) {
                    String stat = Files.readString(thread.resolve("stat"));
                    if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                        return false;
                    }
                }
                return true;
            } catch (IOException e) {
                return false; // a thread has just ended
            }
        }

        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }

        @Override
        public void close() {
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static Child start(String what, ZoidWorld world) throws IOException {
        Process process =
                ChildJvm.start(
                        Children.class,
                        List.of(),
                        what,
                        world.directory().toString(),
                        world.host());
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        return new Child(process, out);
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "daemon" -> daemon(directory);
            case "server" -> meet(directory, arguments[2]);
            case "mover" -> mover(directory);
            case "waiter" -> waiter(directory);
            case "host" -> host(directory, arguments[2]);
            default -> client(directory);
        }
    }

    private static void untilTheEnd() throws IOException {
        while (System.in.read() >= 0) {
            continue;
        }
    }

    private static void daemon(Path directory) throws IOException {
        try (ZbmiDaemon daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.totalBytes", "16m")
                        .start()) {
            System.out.println(daemon.directory().socket().getFileName());
            untilTheEnd();
        }
    }

    private static BmiBuilder builder(Path directory) {
        return Bmi.builder().knob("zoid.runtimeDirectory", directory.resolve("run").toString());
    }

    /** A server that does nothing until its input ends. */
    private static void host(Path directory, String host) throws IOException {
        Bmi bmi = server(directory, host);
        System.out.println("ready");
        untilTheEnd();
        bmi.close();
        System.out.println("closed");
    }

    private static Bmi server(Path directory, String host) {
        return builder(directory)
                .knob("zoid.host", host)
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "16m")
                .listen("zoid://")
                .open();
    }

    /** Posts receives to the first client it meets, and then nothing more. */
    private static void meet(Path directory, String host) throws IOException {
        try (Bmi bmi = server(directory, host);
                CompletionContext context = bmi.openContext()) {
            System.out.println("ready");
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            while (bmi.testUnexpected(messages, 1000) == 0) {
                continue;
            }
            PeerAddress client = messages.peer(0);
            context.postReceive(client, MemorySegment.ofArray(new byte[100]), TAG + 1);
            System.out.println("met");
            untilTheEnd();
        }
    }

    /** Echoes nothing: sends a hello, then waits for a message for ever. */
    private static void client(Path directory) throws IOException {
        try (Bmi bmi = builder(directory).open();
                CompletionContext context = bmi.openContext()) {
            PeerAddress server = bmi.lookup("zoid://");
            long hello =
                    context.postSendUnexpected(server, MemorySegment.ofArray(new byte[8]), TAG);
            context.await(hello, 10_000);
            long receive = context.postReceive(server, MemorySegment.ofArray(new byte[LONG]), TAG);
            System.out.println("pending");
            context.test(receive, Completions.ofCapacity(1), 60_000);
            untilTheEnd();
        }
    }

    /** Sends a hello, and waits for a message from its first test call on. */
    private static void waiter(Path directory) throws IOException {
        try (Bmi bmi = builder(directory).open();
                CompletionContext context = bmi.openContext()) {
            PeerAddress server = bmi.lookup("zoid://");
            long receive = context.postReceive(server, MemorySegment.ofArray(new byte[100]), TAG);
            context.postSendUnexpected(server, MemorySegment.ofArray(new byte[8]), TAG);
            System.out.println("pending");
            context.test(receive, Completions.ofCapacity(1), 60_000);
            untilTheEnd();
        }
    }

    /**
     * Claims the grant of a large send and then stops, as one that dies in the middle of a copy. At
     * a word it leaves without a goodbye, and lives on.
     */
    private static void mover(Path directory) throws Exception {
        AttachRequest request =
                new AttachRequest(
                        directory.resolve("run").resolve("daemon.sock"),
                        PeerRole.CLIENT,
                        "shm",
                        TimeUnit.SECONDS.toNanos(10),
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        PeerAttachment attachment = PeerAttachment.connect(request);
        ClientLink link =
                new ShmClientLink(
                        attachment,
                        new PeerEvents() {
                            @Override
                            public void onEvent(Message message) {}

                            @Override
                            public void onBroken(String reason) {}
                        });
        Message m = new Message();
        ClientRequests.sendUnexpected(m, 0, 1, TAG, 0, 0, 0, ClientRequests.INLINE, 0);
        link.call(m, m, TimeUnit.SECONDS.toNanos(10));
        System.out.println("hello");
        ClientRequests.send(m, 0, 2, TAG, BYTES, 30_000, ClientRequests.NOT_EAGER, 0);
        link.call(m, m, TimeUnit.SECONDS.toNanos(30));
        System.out.println(m.kind() == ClientEvents.GRANT ? "claimed" : "failed " + m);
        if (System.in.read() >= 0) {
            attachment.hangUp();
            System.out.println("left");
        }
        untilTheEnd();
    }
}
