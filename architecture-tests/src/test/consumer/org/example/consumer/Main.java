package org.example.consumer;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.spi.MethodProvider;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Lists the methods, then sends a request through loopback and prints the answer. */
public final class Main {

    private static final int TAG = 7;
    private static final long WAIT_MS = 10_000;

    private Main() {}

    /**
     * Runs it.
     *
     * @param args none
     */
    public static void main(String[] args) {
        TreeSet<String> schemes = new TreeSet<>();
        ServiceLoader.load(MethodProvider.class).forEach(found -> schemes.add(found.scheme()));
        System.out.println("module: " + Main.class.getModule().getName());
        System.out.println("methods: " + String.join(" ", schemes));
        System.out.println("answer: " + exchange("ping"));
    }

    private static String exchange(String word) {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi server =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open();
                CompletionContext serving = server.openContext();
                CompletionContext asking = client.openContext()) {
            Arena arena = Arena.ofAuto();
            PeerAddress peer = client.lookup("loopback://server");
            MemorySegment answer = arena.allocate(64);
            long receive = asking.postReceive(peer, answer, TAG);
            long request = asking.postSendUnexpected(peer, arena.allocateFrom(word), TAG);
            answerOne(server, serving, arena);
            asking.await(request, WAIT_MS);
            asking.await(receive, WAIT_MS);
            return answer.getString(0);
        }
    }

    private static void answerOne(Bmi server, CompletionContext context, Arena arena) {
        UnexpectedMessages requests = UnexpectedMessages.ofCapacity(1);
        if (server.testUnexpected(requests, WAIT_MS) != 1) {
            throw new IllegalStateException("No request came.");
        }
        MemorySegment reply = arena.allocateFrom(requests.payload(0).getString(0) + " and pong");
        context.await(context.postSend(requests.peer(0), reply, requests.tag(0)), WAIT_MS);
        requests.free(0);
    }
}
