package org.jbmi.zoid.storm;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Sends back what each client sends, until it is told to end. */
final class StormServer {
    private static final PostOptions SOON = PostOptions.NONE.withDeadlineMs(10_000);
    private static final long POOL_BYTES = 7L << 20;

    private final StormSetup setup;
    private final Path directory;
    private final BlockingQueue<String> words;
    private final Completions done = Completions.ofCapacity(16);
    private final UnexpectedMessages requests = UnexpectedMessages.ofCapacity(16);
    private final Map<Long, Job> jobs = new HashMap<>();
    private Bmi bmi;
    private CompletionContext context;

    private record Job(PeerAddress peer, int tag, MemorySegment block, boolean isAnswer) {}

    StormServer(StormSetup setup, Path directory, BlockingQueue<String> words)
            throws InterruptedException {
        this.setup = setup;
        this.directory = directory;
        this.words = words;
        this.bmi = open();
        this.context = bmi.openContext();
    }

    // A daemon may be on its way, and the last server not yet proved dead.
    private Bmi open() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return setup.server(Bmi.builder(), directory).open();
            } catch (BmiException e) {
                if (System.nanoTime() - end > 0) {
                    StormChild.say("WRONG cannot open: " + e.getMessage());
                    throw e;
                }
                Thread.sleep(5);
            }
        }
    }

    void run() throws InterruptedException {
        StormChild.say("ready");
        while (true) {
            String word = words.poll();
            if (word != null && word.equals(StormChild.END)) {
                break;
            }
            if (word != null && word.equals("reopen")) {
                reopen();
            } else if (word != null) {
                StormChild.say(areAllBlocksBack() ? "clean" : "WRONG blocks are missing");
            }
            step(10);
        }
        bmi.close();
        StormChild.say("closed");
    }

    private void reopen() throws InterruptedException {
        bmi.close();
        jobs.clear();
        bmi = open();
        context = bmi.openContext();
        StormChild.say("reopened");
    }

    private void step(long idleMs) {
        int count = context.testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            Job job = jobs.remove(done.id(i));
            if (job == null) {
                StormChild.say("WRONG completion of nothing");
            } else {
                over(job, done.outcome(i).isSuccess());
            }
        }
        int asked = bmi.testUnexpected(requests, 0);
        for (int i = 0; i < asked; i++) {
            MemorySegment request = requests.payload(i);
            int bytes = request.get(ValueLayout.JAVA_INT, 0);
            check(request);
            begin(requests.peer(i), requests.tag(i), bytes);
            check(request);
            requests.free(i);
        }
    }

    private static void check(MemorySegment request) {
        int first = request.get(ValueLayout.JAVA_INT, 4);
        for (int i = StormChild.REQUEST_BYTES; i < request.byteSize(); i++) {
            if (request.get(ValueLayout.JAVA_BYTE, i) != StormChild.patternAt(first + i)) {
                StormChild.say("WRONG byte " + i + " of a request");
                return;
            }
        }
    }

    private void begin(PeerAddress peer, int tag, int bytes) {
        MemorySegment block = peer.allocate(bytes);
        if (block == null) {
            StormChild.say("WRONG no memory for " + bytes + " with " + jobs.size() + " jobs");
            return;
        }
        Job job = new Job(peer, tag, block.asSlice(0, bytes), false);
        follow(job, context.postReceive(peer, job.block, tag, null, SOON));
    }

    private void over(Job job, boolean isGood) {
        if (isGood && !job.isAnswer) {
            Job answer = new Job(job.peer, job.tag, job.block, true);
            follow(answer, context.postSend(job.peer, job.block, job.tag, null, SOON));
        } else {
            bmi.free(job.block);
        }
    }

    private void follow(Job job, long result) {
        if (PostResult.isPending(result)) {
            jobs.put(result, job);
        } else {
            over(job, result >= 0);
        }
    }

    /** When all jobs are over, the whole pool is one free block. */
    private boolean areAllBlocksBack() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!jobs.isEmpty() && System.nanoTime() - end < 0) {
            step(10);
        }
        PeerAddress own = bmi.lookup("zoid://");
        @Nullable MemorySegment whole = own.allocate(POOL_BYTES);
        if (whole != null) {
            bmi.free(whole);
        }
        return whole != null;
    }
}
