package org.jbmi.zbmi.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Payloads as words of a message: every length, memory of each kind, any alignment. */
@Timeout(60)
class MessagePayloadTest {
    private static final int FIRST = 2;
    private static final int MOST_BYTES = (Message.MAX_WORDS - FIRST) * Long.BYTES;

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void whatIsPutComesOutAndNothingElseChanges() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment outside = arena.allocate(MOST_BYTES + 16);
            MemorySegment inside = MemorySegment.ofArray(new byte[MOST_BYTES + 16]);
            for (int size = 0; size <= MOST_BYTES; size++) {
                returns(outside, inside, size);
                returns(inside, outside, size);
            }
        }
    }

    private void returns(MemorySegment from, MemorySegment to, int size) {
        for (long i = 0; i < from.byteSize(); i++) {
            from.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        to.fill((byte) 0x5a);
        MemorySegment payload = from.asSlice(3, size);
        Message message = new Message().start(1).put(11).put(12).putBytes(payload);

        message.copyBytes(FIRST, to.asSlice(5, size), size);

        String what = "seed " + seed + ", " + size + " bytes";
        assertThat(message.wordCount()).as(what).isEqualTo(FIRST + (size + 7) / Long.BYTES);
        assertThat(message.word(1)).as(what).isEqualTo(12);
        assertThat(to.asSlice(5, size).mismatch(payload)).as(what).isEqualTo(-1);
        for (long i = 0; i < to.byteSize(); i++) {
            if (i < 5 || i >= 5 + size) {
                assertThat(to.get(ValueLayout.JAVA_BYTE, i)).as(what).isEqualTo((byte) 0x5a);
            }
        }
        if (size % Long.BYTES != 0) {
            long unused = message.word(message.wordCount() - 1) >>> size % Long.BYTES * Byte.SIZE;
            assertThat(unused).as(what).isZero();
        }
    }

    @Test
    void aPayloadOfNoBytesTouchesNoMemory() {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(64);
        }
        Message message = new Message().start(1).put(1).put(2);

        message.putBytes(closed.asSlice(8, 0)).copyBytes(FIRST, closed, 0);

        assertThat(message.wordCount()).isEqualTo(FIRST);
        assertThatThrownBy(() -> message.copyBytes(0, closed, 8))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theFirstByteIsTheLowestOfItsWord() {
        Message message = new Message().start(1);

        message.putBytes(MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));

        assertThat(message.word(0)).isEqualTo(0x0807_0605_0403_0201L);
        assertThat(message.word(1)).isEqualTo(9);
    }

    @Test
    void aPayloadThatIsTooLongIsRefused() {
        MemorySegment tooLong = MemorySegment.ofArray(new byte[MOST_BYTES + 8]);

        assertThatThrownBy(() -> new Message().start(1).put(1).put(2).putBytes(tooLong))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new Message().start(1).copyBytes(FIRST, tooLong, MOST_BYTES + 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
