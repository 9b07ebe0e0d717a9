package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.QuietChannel;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * While a caller waits and something is pending, the engine has a question of this client: without
 * it nothing is offered. A lead that spins looks for events and never sleeps, so no sleep mends it.
 */
@Timeout(30)
class OpenQuestionTest {
    private static final long SOON_NS = TimeUnit.SECONDS.toNanos(100);

    private final List<Link> links = new ArrayList<>();
    private final ZoidClient client =
            new ZoidClient(
                    new HostWithKnobs(),
                    (waitNs, isOver, events) -> link(events),
                    Seams.production());

    private Link link(PeerEvents events) {
        Link link = new Link(events);
        links.add(link);
        return link;
    }

    private void post() {
        assertThat(client.post(new ServerReceive(100))).isEqualTo(Method.PENDING);
    }

    private void beginWait() {
        client.beginWait(NanoClock.SYSTEM.nanoTime() + SOON_NS);
    }

    @AfterEach
    void close() {
        client.endWait();
        client.close();
    }

    /** Who posts just then has looked for somebody who waits before, or is found here. */
    @Test
    void whoBeginsToWaitSaysSoBeforeItLooksForWhatIsPending() {
        Noted channel = new Noted();
        SpinLock lock = new SpinLock();
        ClientCounters counters = new ClientCounters(Counters.inMemory(), lock);
        ClientWait wait = new ClientWait(channel, () -> 1, counters);
        boolean[] isSeen = new boolean[1];
        wait.begins(
                SOON_NS,
                () -> {
                    isSeen[0] = wait.isWaiting();
                    return false;
                });
        assertThat(isSeen[0]).as("who posts meanwhile sees that somebody waits").isTrue();
        assertThat(channel.questions).as("nothing is pending").isZero();
        wait.arm();
        assertThat(channel.questions).isOne();
    }

    /** A lead asks for room before it sleeps if something is kept, and not otherwise. */
    @Test
    void aQuestionThatFindsNoRoomIsKept() {
        client.lookup(ZoidAddress.SERVER);
        post();
        Link link = links.getFirst();
        link.isFull = true;
        beginWait();
        assertThat(link.kept).isOne();
        client.poll();
        client.arm(true);
        assertThat(link.kept).as("one is enough").isOne();
        client.endWait();
        beginWait();
        client.poll();
        assertThat(link.kept).as("with its end; no other follows").isEqualTo(2);
        link.isFull = false;
        link.kept = 0;
        client.poll();
        assertThat(link.questions).as("that of the second wait").isOne();
    }

    @Test
    void aLeadDoesNotSleepIfItCanAskNow() {
        client.lookup(ZoidAddress.SERVER);
        post();
        Link link = links.getFirst();
        link.kept = 1;
        beginWait();
        assertThat(client.arm(true)).as("what is kept ends the sleep").isTrue();
        client.disarm();
        link.beforeSleep = () -> link.kept = 0; // another thread sends it
        assertThat(client.arm(true)).isFalse();
        client.poll();
        assertThat(link.questions).isOne();
        assertThat(client.arm(true)).isTrue();
        client.disarm();
    }

    @Test
    void aQuestionBehindKeptMessagesIsAskedWhenTheyAreSent() {
        client.lookup(ZoidAddress.SERVER);
        post();
        Link link = links.getFirst();
        link.kept = 1;
        beginWait();
        client.poll();
        assertThat(link.questions).isZero();
        link.kept = 0;
        client.poll();
        client.poll();
        assertThat(link.questions).isOne();
    }

    @Test
    void aQuestionBehindKeptMessagesIsNotAskedOnceNobodyWaits() {
        client.lookup(ZoidAddress.SERVER);
        post();
        Link link = links.getFirst();
        link.kept = 1;
        beginWait();
        client.endWait();
        link.kept = 0;
        client.poll();
        assertThat(link.questions).isZero();
    }

    /** Another thread's post has found that the host was replaced. */
    @Test
    void aWaitThatOutlivesItsSessionGoesOnInTheNext() {
        client.lookup(ZoidAddress.SERVER);
        beginWait();
        links.getFirst().fail();
        while (links.size() == 1) {
            client.post(new ServerReceive(100)); // not more often than makes sense
        }
        client.poll();
        client.poll();
        assertThat(links).hasSize(2);
        assertThat(links.getLast().questions).isOne();
    }

    /** Counts what it is asked. */
    private static class Noted implements QuietChannel {
        int questions;
        int kept;
        boolean isFull;

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new AssertionError("nobody waits for an answer");
        }

        @Override
        public int note(Message note, long timeoutNs) {
            questions += note.kind() == ClientRequests.TEST ? 1 : 0;
            return OK;
        }

        @Override
        public int tell(Message note) {
            if (isFull) {
                kept++;
                return KEPT;
            }
            return note(note, 0);
        }

        @Override
        public boolean hasUnsaid() {
            return kept > 0;
        }
    }

    /** A link on which every post is pending. */
    private static final class Link extends Noted implements QuietLink {
        private final PeerEvents events;
        private String reason;

        /** What other threads do while a lead is about to sleep. */
        private Runnable beforeSleep = () -> {};

        Link(PeerEvents events) {
            this.events = events;
        }

        @Override
        public boolean prepareSleep(boolean inSelector) {
            beforeSleep.run();
            return true;
        }

        void fail() {
            reason = "It is over.";
            events.onBroken(reason);
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            ClientEvents.pending(reply, 1, ClientRequests.reference(request), 9);
            return OK;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing is offered");
        }

        @Override
        public String brokenReason() {
            return reason;
        }
    }
}
