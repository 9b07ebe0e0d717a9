package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;

/** What must be heard, told to an engine that stands still until its lane is full, and longer. */
@Timeout(60)
class UnsaidNotesTest extends ChannelsFixture {
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Message m = new Message();
    private long lastNumber;

    /**
     * Has the engine stand still until {@link #goOn}, and fills the lane; each note has a number.
     */
    private void stopAndFill() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () ->
                                daemon.inEngine(
                                        () -> {
                                            stopped.countDown();
                                            awaitGoOn();
                                        }));
        stopped.await();
        while (client.note(next(), 0) == PeerChannel.OK) {
            lastNumber++;
        }
    }

    private void awaitGoOn() {
        try {
            goOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Message next() {
        return ClientRequests.test(m, -1 - lastNumber, 0);
    }

    private void tell(int count, int expected) {
        for (int i = 0; i < count; i++) {
            assertThat(client.tell(next())).isEqualTo(expected);
            lastNumber++;
        }
    }

    private void expectAllInOrder() {
        for (long i = 1; i <= lastNumber; i++) {
            Message reply = clientEvents.await(client, ClientEvents.TEST_REPLY);
            assertThat(ClientEvents.correlation(reply)).isEqualTo(-i);
        }
        assertThat(client.hasUnsaid()).isFalse();
        assertThat(daemon.faults()).isEmpty();
    }

    @Test
    void whatIsToldToAFullLaneIsKeptAndHeardInOrder() throws Exception {
        stopAndFill();
        tell(100, PeerChannel.KEPT);
        assertThat(client.hasUnsaid()).isTrue();
        assertThat(client.note(next(), 0)).as("nothing overtakes").isEqualTo(PeerChannel.TIMED_OUT);
        goOn.countDown();
        expectAllInOrder();
        tell(1, PeerChannel.OK);
    }

    @Test
    void aLeadThatSleepsIsWantedForWhatIsKeptMeanwhile() throws Exception {
        stopAndFill();
        assertThat(client.prepareSleep(false)).as("nothing is kept, nothing has come").isTrue();
        int wanted = clientEvents.leadWanted.get();
        tell(1, PeerChannel.KEPT);
        assertThat(clientEvents.leadWanted).hasValueGreaterThan(wanted);
        client.finishSleep();
        goOn.countDown();
        expectAllInOrder();
    }

    @Test
    void whatCallsAfterwardsIsAnsweredAfterWhatWasKept() throws Exception {
        stopAndFill();
        tell(40, PeerChannel.KEPT);
        goOn.countDown();
        Message question = new Message();
        assertThat(client.call(ClientRequests.test(question, 0, 0), question, LONG_NS))
                .isEqualTo(PeerChannel.OK);
        assertThat(client.hasUnsaid()).isFalse();
        expectAllInOrder();
    }

    @Test
    void aChannelThatIsToldMoreThanThereCanBeBreaks() throws Exception {
        stopAndFill();
        int most = 2 * client.limits().maxOperations() + 1000;
        int told = 0;
        while (client.tell(next()) == PeerChannel.KEPT && told < most) {
            told++;
        }
        assertThat(told).isGreaterThan(2 * client.limits().maxOperations()).isLessThan(most);
        assertThat(client.brokenReason()).contains("unsaid");
        assertThat(client.tell(next())).isEqualTo(PeerChannel.BROKEN);
        goOn.countDown();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLaneThatBreaksBehindAKeptNoteEndsTheSession(boolean isPolled) throws Exception {
        stopAndFill();
        tell(1, PeerChannel.KEPT);
        ShmClientLink lane = (ShmClientLink) client;
        lane.attachment().memory().setLongRelease(lane.area().consumedByEngineOffset(), -1);
        int said = isPolled ? client.progress() : client.tell(next());
        goOn.countDown();
        assertThat(said).isEqualTo(PeerChannel.BROKEN);
        assertThat(client.note(next(), LONG_NS)).isEqualTo(PeerChannel.BROKEN);
        assertThat(clientEvents.broken.get()).startsWith("Nothing can be sent to the daemon");
    }
}
