package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

@Timeout(30)
class MessageBacklogTest {

    @Test
    void messagesComeOutInOrderWhileItGrowsAndWraps() {
        MessageBacklog backlog = new MessageBacklog(100);
        Deque<Integer> expected = new ArrayDeque<>();
        Random random = new Random(3);
        Message m = new Message();
        for (int i = 0; i < 10_000; i++) {
            if (random.nextInt(100) < (i / 1000 % 2 == 0 ? 60 : 40)) {
                boolean added = backlog.add(m.start(1 + i).put(i).put(-i));
                assertThat(added).isEqualTo(expected.size() < 100);
                if (added) {
                    expected.add(i);
                }
            } else if (!expected.isEmpty()) {
                int number = expected.remove();
                backlog.peek(m);
                backlog.removeFirst();
                assertThat(m.kind()).isEqualTo(1 + number);
                assertThat(m.word(0)).isEqualTo(number);
                assertThat(m.word(1)).isEqualTo(-number);
            }
            assertThat(backlog.size()).isEqualTo(expected.size());
            assertThat(backlog.isEmpty()).isEqualTo(expected.isEmpty());
        }
    }
}
