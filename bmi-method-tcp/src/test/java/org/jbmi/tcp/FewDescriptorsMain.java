package org.jbmi.tcp;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.wire.WireMode;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server in a process that may open few files: answers each unexpected message by an empty
 * expected one, and sends a message to each port that it reads from its input, printing the
 * outcome.
 */
final class FewDescriptorsMain {
    private FewDescriptorsMain() {}

    public static void main(String[] args) throws Exception {
        AtomicInteger port = new AtomicInteger();
        Thread input =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () ->
                                        new BufferedReader(
                                                        new InputStreamReader(
                                                                System.in, StandardCharsets.UTF_8))
                                                .lines()
                                                .forEach(line -> port.set(Integer.parseInt(line))));
        Completions done = Completions.ofCapacity(16);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(16);
        MemorySegment empty = Arena.global().allocate(1).asSlice(0, 0);
        try (Bmi bmi =
                        Bmi.builder()
                                .listen("tcp://127.0.0.1:0")
                                .knob("tcp.bindSpecific", "true")
                                .open();
                CompletionContext context = bmi.openContext();
                UnexpectedListener all = bmi.openListener(UnexpectedFilter.ALL)) {
            // Classes lie in folders here: they are loaded while there are descriptors.
            dial(bmi, context, 1);
            int own = bmi.getOption(TcpOptions.PORT);
            for (int tag = 0; tag < 2; tag++) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), own);
                        TcpBench.RawPeer raw = new TcpBench.RawPeer(socket)) {
                    raw.message(WireMode.UNEXPECTED, tag, 8);
                    while (all.test(messages, 50) == 0) {
                        context.testContext(done, 1);
                    }
                    context.postSend(messages.peer(0), empty, tag);
                    messages.free(0);
                    if (tag == 0) {
                        raw.reset();
                    }
                }
                while (bmi.counters().find("tcp.connections").get() > 0) {
                    context.testContext(done, 1);
                }
            }
            System.out.println("port " + bmi.getOption(TcpOptions.PORT));
            while (input.isAlive()) {
                context.testContext(done, 50);
                int count = all.test(messages, 0);
                for (int i = 0; i < count; i++) {
                    context.postSend(messages.peer(i), empty, messages.tag(i));
                    messages.free(i);
                }
                int wanted = port.getAndSet(0);
                if (wanted != 0) {
                    System.out.println("dialed " + dial(bmi, context, wanted));
                }
            }
        }
    }

    private static String dial(Bmi bmi, CompletionContext context, int port) {
        Completions one = Completions.ofCapacity(1);
        PeerAddress peer = bmi.lookup("tcp://127.0.0.1:" + port);
        long send = context.postSend(peer, Arena.global().allocate(1), 1);
        if (PostResult.isPending(send)) {
            send = context.test(send, one, 20_000) == 0 ? 1 : one.outcome(0).negativeValue();
        }
        return ErrorCode.statusString(send);
    }
}
