package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class QueueSettingsTest {
    private static QueueSettings settings(int bound, int messagesPerFile) {
        return new QueueSettings(new PlayedFiles(), bound, messagesPerFile);
    }

    @Test
    void theSmallestAndTheLargestNumbersAreTaken() {
        assertThat(settings(4, 1).bound()).isEqualTo(4);
        assertThat(settings(1 << 30, Integer.MAX_VALUE).bound()).isEqualTo(1 << 30);
    }

    @Test
    void aBoundThatIsNoPowerOfTwoOrTooSmallIsRefusedInWords() {
        for (int wrong : new int[] {Integer.MIN_VALUE, -4, 0, 1, 2, 3, 5, 4095}) {
            assertThatThrownBy(() -> settings(wrong, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong + " messages");
        }
    }

    @Test
    void aFileWithoutMessagesIsRefusedInWords() {
        for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0}) {
            assertThatThrownBy(() -> settings(4, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong + " messages");
        }
    }
}
