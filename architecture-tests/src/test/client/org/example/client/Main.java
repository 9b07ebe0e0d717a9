package org.example.client;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Asks a zoid server, and prints the answer; then tries to be a server without an engine. */
public final class Main {

    private static final int TAG = 7;
    private static final long WAIT_MS = 10_000;

    private Main() {}

    /**
     * Runs it.
     *
     * @param args the runtime directory
     */
    public static void main(String[] args) {
        System.out.println("engine: " + isThere("org.jbmi.zbmi.engine.Engine"));
        System.out.println("answer: " + ask(args[0], "ping"));
        System.out.println("server: " + serve(args[0], "embedded"));
        System.out.println("server: " + serve(args[0], "auto"));
    }

    private static boolean isThere(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static BmiBuilder builder(String directory) {
        return Bmi.builder().knob("zoid.runtimeDirectory", directory);
    }

    private static String ask(String directory, String word) {
        try (Bmi client = builder(directory).open();
                CompletionContext context = client.openContext()) {
            Arena arena = Arena.ofAuto();
            PeerAddress peer = client.lookup("zoid://");
            MemorySegment answer = arena.allocate(64);
            long receive = context.postReceive(peer, answer, TAG);
            long request = context.postSendUnexpected(peer, arena.allocateFrom(word), TAG);
            context.await(request, WAIT_MS);
            context.await(receive, WAIT_MS);
            return answer.getString(0);
        }
    }

    private static String serve(String directory, String host) {
        try (Bmi server = builder(directory).knob("zoid.host", host).listen("zoid://").open()) {
            return "opened " + server;
        } catch (BmiException e) {
            return e.code() + " " + e.getMessage();
        }
    }
}
