package org.jbmi.zoid.channel;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers requests by many threads at once: takes an unexpected message of any thread, receives
 * {@link #BYTES} with its tag, and sends them back.
 */
public final class EchoServer implements AutoCloseable {
    /** Size of an exchange. */
    public static final int BYTES = 512;

    private static final int PATIENCE_MS = 30_000;

    private final Bmi bmi;
    private final CompletionContext context;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean isClosing;

    /**
     * Starts it.
     *
     * @param bmi a server's, owned by this from now on
     * @param threadCount how many serve
     */
    public EchoServer(Bmi bmi, int threadCount) {
        this.bmi = bmi;
        this.context = bmi.openContext();
        for (int i = 0; i < threadCount; i++) {
            threads.add(Thread.ofPlatform().name("echo-" + i).start(this::serve));
        }
    }

    private void serve() {
        UnexpectedMessages requests = UnexpectedMessages.ofCapacity(1);
        try {
            while (!isClosing) {
                if (bmi.testUnexpected(requests, 20) == 1) {
                    PeerAddress peer = requests.peer(0);
                    peer.retain();
                    int tag = requests.tag(0);
                    requests.free(0);
                    echo(peer, tag);
                    peer.release();
                }
            }
        } catch (BmiException e) {
            if (!isClosing) {
                throw e;
            }
        }
    }

    private void echo(PeerAddress peer, int tag) {
        MemorySegment block = peer.allocate(BYTES);
        if (block == null) {
            throw new AssertionError("the pool is used up");
        }
        if (isDone(context.postReceive(peer, block, tag))) {
            isDone(context.postSend(peer, block, tag));
        }
        bmi.free(block);
    }

    // A client that goes in the middle, or gives up what it asked of a server before this one, is
    // no failure: whether anything hangs is for the clients to say.
    private boolean isDone(long post) {
        try {
            return !PostResult.isRefused(post) && context.await(post, PATIENCE_MS) >= 0;
        } catch (BmiException e) {
            if (e.code() == ErrorCode.EAGAIN) {
                context.cancel(post);
                return isDone(post);
            }
            return false;
        }
    }

    @Override
    public void close() {
        isClosing = true;
        try {
            for (Thread thread : threads) {
                thread.join(20_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        bmi.close();
    }
}
