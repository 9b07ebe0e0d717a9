package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What waits for memory ends with its client, of which the engine cannot know. */
@Timeout(30)
class GoneClientTest extends OperationsFixture {
    private void gone(int session, int generation) {
        inbox.clientGone(session, generation, CLOSED);
        inbox.afterDispatch();
        operations.progress();
    }

    @Test
    void whatWaitsForMemoryEndsWithItsClientAndNothingElseDoes() {
        ZoidAddress leaving = client(1, 1);
        ZoidAddress staying = client(2, 2);
        Operation sent = posted(leaving, 64);
        MemorySegment rest = take(POOL / 2);
        Operation first = posted(leaving, (int) POOL);
        Operation second = posted(leaving, (int) POOL / 2);
        Operation other = posted(staying, (int) POOL / 2);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(first, CLOSED), Map.entry(second, CLOSED));
        assertThat(operations.post(new TestOperation(leaving, 9, 8))).isEqualTo(CLOSED);
        assertThat(door.notes).as("what waited reached the engine").isZero();
        free(rest);
        assertThat(door.notes).as("the other client's has memory").isEqualTo(1);
        assertThat(over).as("the engine has the word on these").doesNotContainKeys(sent, other);
    }

    @Test
    void theNextClientOfTheSessionKeepsWhatWaitsForIt() {
        ZoidAddress former = client(1, 1);
        MemorySegment all = take(POOL);
        Operation ofFormer = posted(former, 64);
        ZoidAddress next = client(1, 2);
        Operation ofNext = posted(next, 64);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(ofFormer, CLOSED));
        free(all);
        assertThat(door.notes).isEqualTo(1);
        assertThat(over).doesNotContainKey(ofNext);
    }

    @Test
    void anAddressThatTheProgramHasDroppedIsStillThatOfItsClient() {
        ZoidAddress dropped = client(1, 1);
        take(POOL);
        Operation waiting = posted(dropped, 64);
        inbox.dropped(dropped);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(waiting, CLOSED));
    }

    @Test
    void postsKeepTheirOrderAlsoAfterTheProgramHasDroppedTheAddress() {
        ZoidAddress dropped = client(1, 1);
        MemorySegment all = take(POOL);
        Operation first = operation(dropped, 64);
        assertThat(operations.post(first)).isEqualTo(Method.PENDING);
        inbox.dropped(dropped);
        ZoidAddress again = client(1, 1);
        assertThat(again).as("the record of the same client").isNotSameAs(dropped);
        Operation second = new TestOperation(again, first.tag(), 0);
        assertThat(operations.post(second)).isEqualTo(Method.PENDING);
        assertThat(door.calls + door.notes).as("what reached the engine").isZero();
        List<Long> sizes = new ArrayList<>();
        door.onNote = post -> sizes.add(post.bytes);
        free(all);
        assertThat(sizes).as("in the order of the posts").containsExactly(64L, 0L);
    }

    @Test
    void oneThatNobodyMayPassAnyMoreLetsTheOthersGo() {
        ZoidAddress leaving = client(1, 1);
        ZoidAddress staying = client(2, 2);
        take(64);
        posted(leaving, (int) POOL);
        for (int i = 0; i < NoMemoryQueue.MAX_PASSED; i++) {
            posted(staying, 16);
        }
        assertThat(door.notes).as("have passed it").isEqualTo(NoMemoryQueue.MAX_PASSED);
        posted(staying, 16);
        assertThat(door.notes).as("must wait").isEqualTo(NoMemoryQueue.MAX_PASSED);
        gone(1, 1);
        assertThat(door.notes).isEqualTo(NoMemoryQueue.MAX_PASSED + 1);
    }

    @Test
    void aPostThatCrossesTheEndOfItsClientEndsAsWell() throws InterruptedException {
        ZoidAddress leaving = client(1, 1);
        Operation before = posted(leaving, 64);
        completed(before);
        inbox.afterDispatch();
        assertThat(over).containsOnlyKeys(before); // its slot is the next to be used
        take(POOL);
        Operation crossing = new TestOperation(leaving, 2, 64);
        Thread poster = new Thread(() -> operations.post(crossing));
        guard.lock();
        try {
            poster.start();
            while (poster.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait(); // it has seen that the client is there, and waits for the lock
            }
            inbox.gone(1, 1, CLOSED); // and nothing of it waits in the queue yet
        } finally {
            guard.unlock();
        }
        poster.join();
        inbox.afterDispatch();
        assertThat(over).containsEntry(crossing, CLOSED);
    }
}
