package org.jbmi.zbmi.host.mq;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.os.Errno;
import org.junit.jupiter.api.Test;

import java.util.List;

class MqLimitsTest {
    private static final MqLimits USUAL = new MqLimits(10, 8192, 256, 819_200);

    @Test
    void thoseOfThisMachineAreRead() {
        MqLimits here = MqLimits.read();

        assertThat(here.messages()).isPositive();
        assertThat(here.messageBytes()).isPositive();
        assertThat(here.userBytes()).isPositive();
    }

    @Test
    void theShareOfTheUserStandsInATable() {
        List<String> table =
                List.of(
                        "Limit                     Soft Limit           Hard Limit           Units",
                        "Max pending signals       96365                96365               "
                                + " signals",
                        "Max msgqueue size         4096                 819200              "
                                + " bytes");
        assertThat(MqLimits.userBytes(table)).isEqualTo(4096);
        assertThat(MqLimits.userBytes(List.of("Max msgqueue size   unlimited   unlimited  bytes")))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(MqLimits.userBytes(List.of())).isEqualTo(819_200);
    }

    @Test
    void theUsualOnesAreEnoughForManyThreads() {
        assertThat(USUAL.tooSmall()).isNull();
        assertThat(USUAL.depth()).isEqualTo(10);
        assertThat(USUAL.replyQueues()).isEqualTo(MqNames.MAX_REPLY_QUEUES);
    }

    @Test
    void fewerReplyQueuesWhereThereIsRoomForFewer() {
        assertThat(new MqLimits(10, 8192, 12, 819_200).replyQueues()).isEqualTo(10);
        MqLimits poor = new MqLimits(10, 8192, 256, 4000);
        assertThat(poor.tooSmall()).isNull();
        assertThat(poor.depth()).isEqualTo(4);
        assertThat(poor.replyQueues()).isEqualTo(10);
        assertThat(MqLimits.queueBytes(4) * 2 + 10 * MqLimits.queueBytes(1)).isLessThan(4000);
    }

    @Test
    void whatIsTooSmallIsSaidInWords() {
        assertThat(new MqLimits(10, 64, 256, 819_200).tooSmall())
                .contains("64 bytes")
                .contains("/proc/sys/fs/mqueue/msgsize_max");
        assertThat(new MqLimits(1, 8192, 256, 819_200).tooSmall())
                .contains("/proc/sys/fs/mqueue/msg_max");
        assertThat(new MqLimits(10, 8192, 256, 100).tooSmall()).contains("ulimit -q");
        assertThat(USUAL.explain(Errno.EMFILE)).contains("819200 bytes").contains("EMFILE");
        assertThat(USUAL.explain(Errno.ENOSPC)).contains("256 queues");
    }

    @Test
    void aCorrelationNamesItsQueueAndNoOtherDoes() {
        for (int i = 0; i < MqNames.MAX_REPLY_QUEUES; i++) {
            ReplyQueue queue = new ReplyQueue(i, new MqEnd(MqSystem.KERNEL, -1));
            assertThat(ReplyQueue.indexOf(queue.nextCall())).isEqualTo(i);
            assertThat(queue.nextCall()).isPositive();
        }
        for (long other : new long[] {0, -1, 1, 4096, 1L << 61, -(1L << 62), Long.MIN_VALUE}) {
            assertThat(ReplyQueue.indexOf(other)).isEqualTo(-1);
        }
    }
}
