package org.jbmi.testsuite.process;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The instance of a peer process, and what it is told to do with it. */
final class PeerActor implements AutoCloseable {
    private static final long PATIENCE_MS = 20_000;

    /** An operation under way. */
    private record Pending(Posted posted, boolean receives, int tag, MemorySegment buffer) {}

    private final Environment environment;
    private final Arena arena = Arena.ofShared();
    private final List<Pending> pending = new ArrayList<>();
    private @Nullable Bmi bmi;
    private @Nullable CompletionContext context;
    private @Nullable End end;

    PeerActor(Environment environment) {
        this.environment = environment;
    }

    /** Does what a line says; returns the answer. */
    String perform(String[] words) {
        return switch (words[0]) {
            case "client" -> client();
            case "server" -> server();
            case "hello" -> hello(number(words, 1));
            case "meet" -> meet();
            case "send" -> send(number(words, 1), number(words, 2));
            case "receive" -> receive(number(words, 1), number(words, 2));
            case "outcomes" -> outcomes();
            case "wait" -> Integer.toString(context().testContext(room(), number(words, 1)));
            case "pump" -> pump(number(words, 1), number(words, 2));
            case "echo" -> echo(number(words, 1), number(words, 2));
            case "load" -> ClassFolders.loadAll();
            case "close" -> closed();
            default -> throw new IllegalArgumentException("An unknown command: " + words[0]);
        };
    }

    private static int number(String[] words, int at) {
        return Integer.parseInt(words[at]);
    }

    private static Completions room() {
        return Completions.ofCapacity(8);
    }

    /** Opens a client that knows server 0. */
    private String client() {
        Bmi opened = environment.clientBuilder().open();
        bmi = opened;
        context = opened.openContext();
        end = new End(opened, context(), opened.lookup(environment.serverAddress(0)));
        return "";
    }

    /** Opens server 0, as soon as it is free. */
    private String server() {
        Expect.eventually(
                () -> {
                    try {
                        bmi = environment.serverBuilder(0).open();
                        return true;
                    } catch (BmiException e) {
                        Expect.that(e.code() == ErrorCode.EBUSY, "only EBUSY, not " + e);
                        return false;
                    }
                },
                "a server can be opened");
        context = bmi().openContext();
        return "";
    }

    private Bmi bmi() {
        return Objects.requireNonNull(bmi, "Nothing is open.");
    }

    private CompletionContext context() {
        return Objects.requireNonNull(context, "Nothing is open.");
    }

    private End end() {
        return Objects.requireNonNull(end, "There is no peer yet.");
    }

    /** A client sends an unexpected message of 8 bytes and waits until it was accepted. */
    private String hello(int tag) {
        MemorySegment buffer = arena.allocate(8);
        Scene.fill(buffer, tag);
        end().sendUnexpected(buffer, tag, 0).succeeds(8);
        return "";
    }

    /** A server waits for an unexpected message; its sender becomes the peer. */
    private String meet() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Expect.equal(bmi().testUnexpected(messages, PATIENCE_MS), 1, "messages");
        PeerAddress peer = messages.peer(0);
        int tag = messages.tag(0);
        messages.free(0);
        end = new End(bmi(), context(), peer);
        return Integer.toString(tag);
    }

    private String send(int tag, int size) {
        MemorySegment buffer = arena.allocate(size);
        Scene.fill(buffer, tag);
        return posted(new Pending(end().send(buffer, tag), false, tag, buffer));
    }

    private String receive(int tag, int size) {
        MemorySegment buffer = arena.allocate(size);
        return posted(new Pending(end().receive(buffer, tag), true, tag, buffer));
    }

    private String posted(Pending operation) {
        pending.add(operation);
        return operation.posted().wasPending() ? "pending" : text(operation);
    }

    /** Waits for all operations; answers with a size or a code for each. */
    private String outcomes() {
        Posted.finish(pending.stream().map(Pending::posted).toArray(Posted[]::new));
        StringBuilder texts = new StringBuilder();
        pending.forEach(operation -> texts.append(text(operation)).append(' '));
        pending.clear();
        return texts.toString().strip();
    }

    private String text(Pending operation) {
        Posted posted = operation.posted();
        if (posted.error() != 0) {
            return String.valueOf(ErrorCode.of(posted.error()));
        }
        if (operation.receives()) {
            MemorySegment came = operation.buffer().asSlice(0, posted.sizeBytes());
            MemorySegment expected = arena.allocate(came.byteSize());
            Scene.fill(expected, operation.tag());
            Expect.bytes(came, expected, "what the peer process received");
        }
        return Long.toString(posted.sizeBytes());
    }

    /** Sends for ever, until an operation fails; answers with its code. */
    private String pump(int tag, int size) {
        MemorySegment buffer = arena.allocate(size);
        Scene.fill(buffer, tag);
        while (true) {
            Posted posted = end().send(buffer, tag);
            Posted.finish(posted);
            if (posted.error() != 0) {
                return String.valueOf(ErrorCode.of(posted.error()));
            }
        }
    }

    /** Sends back what it receives, until an operation fails; answers with its code. */
    private String echo(int tag, int size) {
        MemorySegment buffer = arena.allocate(size);
        while (true) {
            Posted in = end().receive(buffer, tag);
            Posted.finish(in);
            Posted out = in.error() == 0 ? end().send(buffer, tag) : in;
            Posted.finish(out);
            if (out.error() != 0) {
                return String.valueOf(ErrorCode.of(out.error()));
            }
        }
    }

    private String closed() {
        close();
        return "";
    }

    @Override
    public void close() {
        Bmi open = bmi;
        if (open != null) {
            open.close();
        }
    }
}
