package org.jbmi.testsuite.golden;

import static org.jbmi.testsuite.golden.SeenOutcomes.require;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.End;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.stream.Stream;

/** The side that is played by the library. */
final class ApiSide {
    private static final int IDLE_MS = 20;

    private record Pending(
            long id, boolean isReceive, int tag, long posted, MemorySegment memory) {}

    private final Recording recording;
    private final Recording.Side side;
    private final Bmi bmi;
    private final CompletionContext context;
    private final Signals signals;
    private final long deadlineNs;
    private final Queue<String> postLines = new ArrayDeque<>();
    private final List<Pending> pending = new ArrayList<>();
    private final List<Recording.Chunk> incoming = new ArrayList<>();
    private final SeenOutcomes outcomes;
    private @Nullable PeerAddress peer;
    private @Nullable PeerAddress sender;

    ApiSide(Recording recording, Recording.Side side, Bmi bmi, Signals signals, long deadlineNs) {
        this.recording = recording;
        this.side = side;
        this.bmi = bmi;
        this.context = bmi.openContext();
        this.signals = signals;
        this.deadlineNs = deadlineNs;
        side.log().stream().filter(line -> line.startsWith("post_")).forEach(postLines::add);
        this.outcomes = new SeenOutcomes(side.log());
        for (Recording.Chunk chunk : recording.chunks()) {
            if (!chunk.from().equals(side.name())) {
                incoming.add(chunk);
            }
        }
    }

    void run() throws InterruptedException {
        if (side.lookup() != null) {
            peer = bmi.lookup(side.lookup());
        }
        for (String step : side.script()) {
            String[] words = step.split(":", -1);
            switch (words[0]) {
                case "U" -> collect(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                case "X" -> postSendUnexpected(words);
                case "S" -> awaitThis(postSend(words));
                case "s" -> postSend(words);
                case "R" -> awaitThis(postReceive(words));
                case "r" -> postReceive(words);
                case "W" -> awaitAll();
                case "P", "Z" -> drive(Long.parseLong(words[1]));
                case "N" -> signals.give(words[1]);
                case "G" -> awaitSignal(words[1]);
                case "L" -> peer = bmi.lookup(step.substring(2));
                case "A" -> peer = sender;
                default -> throw new IllegalArgumentException("An unknown step: " + step);
            }
        }
        awaitAll();
        outcomes.expectAll();
    }

    private PeerAddress peer() {
        return Objects.requireNonNull(peer, "There is no peer yet.");
    }

    private void collect(int count, int messageClass) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        for (int i = 0; i < count; i++) {
            while (bmi.testUnexpected(messageClass, messages, IDLE_MS) == 0) {
                checkTime("an unexpected message");
            }
            Recording.Chunk chunk = takeIncoming(true, messages.tag(0));
            require(messages.outcome(0).isSuccess(), "the unexpected message is whole");
            require(messages.messageClass(0) == chunk.messageClass(), "its class");
            check(messages.payload(0), chunk);
            outcomes.unexpected(
                    chunk.messageClass(),
                    messages.tag(0),
                    messages.outcome(0).negativeValue(),
                    messages.sizeBytes(0));
            sender = messages.peer(0);
            peer = peer == null ? sender : peer;
            messages.free(0);
        }
    }

    private Recording.Chunk takeIncoming(boolean isUnexpected, int tag) {
        for (Recording.Chunk chunk : incoming) {
            if (chunk.isUnexpected() == isUnexpected && chunk.tag() == tag) {
                incoming.remove(chunk);
                return chunk;
            }
        }
        throw new IllegalStateException("A message with tag " + tag + " was not recorded.");
    }

    /** The bytes follow from the tag: what the file says of them is not asked. */
    private static void check(MemorySegment memory, Recording.Chunk chunk) {
        require(memory.byteSize() == chunk.payloadBytes(), "the size of the message");
        for (long i = 0; i < memory.byteSize(); i++) {
            boolean same =
                    memory.get(ValueLayout.JAVA_BYTE, i) == Recording.pattern(chunk.tag(), i);
            require(same, "its byte " + i);
        }
    }

    private void postSendUnexpected(String[] words) throws InterruptedException {
        int tag = Integer.parseInt(words[1]);
        MemorySegment[] list = message(tag, Integer.parseInt(words[2]), segments(words, 4));
        int messageClass = Integer.parseInt(words[3]);
        long result =
                list.length == 1
                        ? context.postSendUnexpected(
                                peer(), list[0], tag, messageClass, null, PostOptions.NONE)
                        : context.postSendUnexpectedList(
                                peer(),
                                list,
                                End.sum(list),
                                tag,
                                messageClass,
                                null,
                                PostOptions.NONE);
        awaitThis(posted(result, false, tag, End.sum(list), list[0]));
    }

    private long postSend(String[] words) {
        int tag = Integer.parseInt(words[1]);
        MemorySegment[] list = message(tag, Integer.parseInt(words[2]), segments(words, 3));
        long result =
                list.length == 1
                        ? context.postSend(peer(), list[0], tag)
                        : context.postSendList(
                                peer(), list, End.sum(list), tag, null, PostOptions.NONE);
        return posted(result, false, tag, End.sum(list), list[0]);
    }

    private long postReceive(String[] words) {
        int tag = Integer.parseInt(words[1]);
        int size = Integer.parseInt(words[2]);
        MemorySegment whole = Arena.ofAuto().allocate(Math.max(1, size)).asSlice(0, size);
        MemorySegment[] list = cut(whole, segments(words, 3));
        long result =
                list.length == 1
                        ? context.postReceive(peer(), whole, tag)
                        : context.postReceiveList(
                                peer(), list, End.sum(list), tag, null, PostOptions.NONE);
        return posted(result, true, tag, size, whole);
    }

    /** Compares the outcome of a post with what the C program saw. */
    private long posted(
            long result, boolean isReceive, int tag, long posted, MemorySegment memory) {
        String line = postLines.isEmpty() ? "" : postLines.remove();
        require(line.contains(" tag=" + tag + " size=" + posted + " "), "the post " + line);
        long recorded = Long.parseLong(line.replaceFirst(".* rc=(-?[0-9]+).*", "$1"));
        if (recorded < 0) {
            require(result == recorded, "the post is refused with " + recorded);
            return result;
        }
        require(!PostResult.isRefused(result), "the post is not refused, but with " + result);
        if (PostResult.isPending(result)) {
            pending.add(new Pending(result, isReceive, tag, posted, memory));
            return result;
        }
        outcomes.expected(isReceive, tag, posted, 0, result);
        if (isReceive) {
            check(memory.asSlice(0, result), takeIncoming(false, tag));
        }
        return result;
    }

    private void awaitThis(long id) throws InterruptedException {
        while (pending.stream().anyMatch(each -> each.id() == id)) {
            checkTime("a completion");
            drive(IDLE_MS);
        }
    }

    private void awaitAll() throws InterruptedException {
        while (!pending.isEmpty()) {
            checkTime("a completion");
            drive(IDLE_MS);
        }
    }

    private void awaitSignal(String name) throws InterruptedException {
        while (!signals.isGiven(name)) {
            checkTime("the signal " + name);
            drive(1);
        }
    }

    /** Makes progress for some time, or until something completes. */
    private void drive(long idleMs) throws InterruptedException {
        Completions done = Completions.ofCapacity(16);
        int count = context.testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            completed(done, i);
        }
    }

    private void completed(Completions done, int i) {
        for (Pending each : pending) {
            if (each.id() == done.id(i)) {
                pending.remove(each);
                outcomes.expected(
                        each.isReceive(),
                        each.tag(),
                        each.posted(),
                        done.outcome(i).negativeValue(),
                        done.sizeBytes(i));
                if (each.isReceive()) {
                    MemorySegment came = each.memory().asSlice(0, done.sizeBytes(i));
                    check(came, takeIncoming(false, each.tag()));
                }
                return;
            }
        }
        throw new IllegalStateException("An unknown operation completed.");
    }

    private static int[] segments(String[] words, int at) {
        if (words.length <= at) {
            return new int[0];
        }
        return Stream.of(words[at].split(",", -1)).mapToInt(Integer::parseInt).toArray();
    }

    private static MemorySegment[] message(int tag, int size, int[] segments) {
        MemorySegment whole = Arena.ofAuto().allocate(Math.max(1, size)).asSlice(0, size);
        for (long i = 0; i < size; i++) {
            whole.set(ValueLayout.JAVA_BYTE, i, Recording.pattern(tag, i));
        }
        return cut(whole, segments);
    }

    private static MemorySegment[] cut(MemorySegment whole, int[] segments) {
        if (segments.length == 0) {
            return new MemorySegment[] {whole};
        }
        MemorySegment[] list = new MemorySegment[segments.length];
        long at = 0;
        for (int i = 0; i < segments.length; i++) {
            list[i] = whole.asSlice(at, segments[i]);
            at += segments[i];
        }
        return list;
    }

    private void checkTime(String what) {
        if (System.nanoTime() - deadlineNs >= 0) {
            throw new IllegalStateException(recording.name() + " waits for " + what);
        }
    }
}
