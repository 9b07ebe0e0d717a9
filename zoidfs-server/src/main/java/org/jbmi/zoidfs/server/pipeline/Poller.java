package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.zoidfs.server.observe.ServerLog;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The thread that takes requests and completions from BMI, and makes BMI's progress. */
final class Poller {
    private static final int REQUESTS = 128;
    private static final int COMPLETIONS = 256;
    private static final long IDLE_MS = 200;
    private static final long FULL_MS = 2;

    private final Bmi bmi;
    private final CompletionContext context;
    private final Feed feed;
    private final AtomicInteger calls;
    private final int maximumCalls;
    private final Consumer<Call> letGo;
    private final UnexpectedListener listener;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(REQUESTS);
    private final Completions done = Completions.ofCapacity(COMPLETIONS);
    private volatile boolean accepting = true;
    private volatile boolean running = true;

    Poller(
            Bmi bmi,
            CompletionContext context,
            Feed feed,
            AtomicInteger calls,
            int maximumCalls,
            Consumer<Call> letGo) {
        this.bmi = bmi;
        this.context = context;
        this.feed = feed;
        this.calls = calls;
        this.maximumCalls = maximumCalls;
        this.letGo = letGo;
        this.listener = bmi.openListener(UnexpectedFilter.ALL);
    }

    void stopAccepting() {
        accepting = false;
    }

    void stop() {
        running = false;
    }

    void run() {
        while (running) {
            try {
                boolean room = accepting && calls.get() < maximumCalls;
                int taken = room ? takeRequests() : 0;
                long idleMs = room ? IDLE_MS : FULL_MS;
                takeCompletions(taken > 0 ? 0 : idleMs);
            } catch (BmiException e) {
                if (!running || bmi.isClosed()) {
                    return;
                }
                ServerLog.failed("BMI refused to be polled", e);
            } catch (RuntimeException e) {
                ServerLog.failed("A request could not be taken", e);
            }
        }
    }

    private int takeRequests() {
        int count = listener.test(messages, 0);
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            calls.incrementAndGet();
            Call call = new Call(messages.peer(i), messages.tag(i), now);
            feed.request(call, messages.payload(i), messages.outcome(i));
        }
        return count;
    }

    private void takeCompletions(long idleMs) {
        int count = context.testContext(done, idleMs);
        for (int k = 0; k < count; k++) {
            Object subject = done.userData(k);
            if (subject instanceof DataMove move) {
                feed.moved(move, done.outcome(k), done.sizeBytes(k));
            } else if (subject instanceof Call call) {
                letGo.accept(call);
            }
        }
    }
}
