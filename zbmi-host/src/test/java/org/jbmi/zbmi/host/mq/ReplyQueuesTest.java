package org.jbmi.zbmi.host.mq;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.DeadSegment;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.MessageQueues.End;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Path;

@Timeout(60)
class ReplyQueuesTest {
    private final MqNames names = new MqNames(ProcessHandle.current().pid(), System.nanoTime());
    private final MqLimits limits = MqLimits.read();
    private final Message message = new Message();

    @AfterEach
    void removeNames() {
        names.unlinkAll(MqSystem.KERNEL);
    }

    private MqEnd engineEnd(int index) {
        return new MqEnd(MqSystem.KERNEL, MessageQueues.open(names.reply(index), End.SEND));
    }

    @Test
    void aQueueIsUsedAgainAfterItsAnswer() {
        ReplyQueues queues = new ReplyQueues(MqSystem.KERNEL, names, limits);
        ReplyQueue first = queues.lease();
        ReplyQueue second = queues.lease();
        assertThat(queues.count()).isEqualTo(2);
        queues.release(second);
        assertThat(queues.lease()).isSameAs(second);
        queues.release(first);
        assertThat(queues.lease()).isSameAs(first);
        assertThat(queues.count()).isEqualTo(2);
        queues.close();
    }

    @Test
    void aLateAnswerIsNobodyElses() {
        ReplyQueues queues = new ReplyQueues(MqSystem.KERNEL, names, limits);
        ReplyQueue queue = queues.lease();
        long late = queue.nextCall();
        queues.abandon(queue);
        assertThat(queues.hasLateAnswer()).isFalse();
        assertThat(queues.pollAbandoned(message)).isEqualTo(MessageSource.EMPTY);
        assertThat(queues.lease()).as("not the abandoned one").isNotSameAs(queue);

        MqEnd engine = engineEnd(0);
        engine.offer(ServerEvents.answered(message, ServerEvents.REGISTERED, late, 5, 6));
        assertThat(queues.hasLateAnswer()).isTrue();
        assertThat(queues.pollAbandoned(message)).isEqualTo(MessageSource.RECEIVED);
        assertThat(ServerEvents.correlation(message)).isEqualTo(late);
        assertThat(queues.hasLateAnswer()).isFalse();
        assertThat(queues.lease()).isSameAs(queue);
        engine.close();
        queues.close();
    }

    @Test
    void anAnswerThroughTheEventQueueIsItsCallersOrALateOne() {
        ReplyQueues queues = new ReplyQueues(MqSystem.KERNEL, names, limits);
        ReplyQueue waiting = queues.lease();
        ReplyQueue leaving = queues.lease();
        ReplyQueue left = queues.lease();
        Message answer =
                ServerEvents.answered(
                        new Message(), ServerEvents.REGISTERED, waiting.nextCall(), 5, 6);
        assertThat(queues.takesAnswer(answer)).isTrue();
        assertThat(waiting.receive(message, 0)).isEqualTo(MessageSource.RECEIVED);
        assertThat(waiting.isAnswer(message)).isTrue();
        queues.release(waiting);

        assertThat(
                        queues.takesAnswer(
                                ServerEvents.answered(
                                        answer, ServerEvents.REGISTERED, leaving.nextCall(), 5, 6)))
                .isTrue();
        queues.abandon(leaving); // just then
        assertThat(queues.hasLateAnswer()).isTrue();
        assertThat(queues.pollAbandoned(message)).isEqualTo(MessageSource.RECEIVED);
        assertThat(leaving.isAnswer(message)).isTrue();

        ServerEvents.answered(answer, ServerEvents.REGISTERED, left.nextCall(), 5, 6);
        queues.abandon(left);
        assertThat(queues.takesAnswer(answer)).as("is dispatched").isFalse();
        assertThat(queues.hasLateAnswer()).isFalse();

        assertThat(
                        queues.takesAnswer(
                                ServerEvents.answered(answer, ServerEvents.REGISTERED, 3, 5, 6)))
                .isFalse();
        assertThat(queues.takesAnswer(ServerEvents.clientAttached(answer, 1, 2))).isFalse();
        assertThat(queues.lease()).as("none of them is used again").isNull();
        queues.close();
    }

    @Test
    void whatIsNoAnswerBreaksTheQueue() {
        ReplyQueues queues = new ReplyQueues(MqSystem.KERNEL, names, limits);
        ReplyQueue queue = queues.lease();
        MqEnd engine = engineEnd(0);
        engine.offer(ServerEvents.clientAttached(message, 1, 2));
        assertThat(queue.receive(message, 0)).isEqualTo(MessageSource.BROKEN);
        engine.offer(message.start(1).put(7));
        assertThat(queue.receive(message, 0)).isEqualTo(MessageSource.BROKEN);
        engine.close();
        queues.close();
    }

    @Test
    void whereTheMachineHasNoMoreThereIsNone() {
        ReplyQueues queues =
                new ReplyQueues(MqSystem.KERNEL, names, new MqLimits(10, 8192, 4, 819_200));
        assertThat(queues.lease()).isNotNull();
        assertThat(queues.lease()).isNotNull();
        assertThat(queues.lease()).isNull();
        assertThat(queues.lease()).isNull();
        queues.close();
    }

    /** The daemon has ended, so no engine opens them and no host sweeps. */
    @Test
    void namesThatNobodyHasOpenedAreGoneAfterTheClose() {
        ReplyQueues queues = new ReplyQueues(MqSystem.KERNEL, names, limits);
        assertThat(queues.lease()).isNotNull();
        assertThat(queues.lease()).isNotNull();
        queues.close();
        assertThat(names.unlinkAll(MqSystem.KERNEL)).isZero();
    }

    @Test
    void theNamesThatADeadDaemonLeftAreRemoved() {
        MessageQueues.close(MessageQueues.create(names.reply(0), End.RECEIVE_WAITING, 1, 120));
        MessageQueues.close(MessageQueues.create(names.command(), End.RECEIVE, 2, 120));

        new MqCommandChannelProvider()
                .sweep(
                        new DeadSegment(
                                Path.of("gone"), names.daemonPid(), names.segmentGeneration()));

        assertThat(MessageQueues.open(names.command(), End.SEND)).isEqualTo(-Errno.ENOENT);
        assertThat(MessageQueues.open(names.reply(0), End.SEND)).isEqualTo(-Errno.ENOENT);
    }

    @Test
    void aMessageOfTheWrongLengthIsNone() {
        int receiver = MessageQueues.create(names.command(), End.RECEIVE, 4, 120);
        int sender = MessageQueues.open(names.command(), End.SEND);
        MqEnd end = new MqEnd(MqSystem.KERNEL, receiver);
        var raw = new org.jbmi.mempool.os.QueueBuffer(128);
        raw.setWord(0, message.start(5).put(1).put(2).header());
        for (int words : new int[] {0, 1, 2, 4}) {
            MessageQueues.send(sender, raw, words);
            assertThat(end.receive(message, 0)).isEqualTo(MessageSource.BROKEN);
        }
        MessageQueues.send(sender, raw, 3);
        assertThat(end.receive(message, 0)).isEqualTo(MessageSource.RECEIVED);
        assertThat(end.receive(message, 0)).isEqualTo(MessageSource.EMPTY);
        MessageQueues.close(sender);
        end.close();
    }
}
