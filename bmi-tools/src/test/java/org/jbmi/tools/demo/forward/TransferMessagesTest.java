package org.jbmi.tools.demo.forward;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

class TransferMessagesTest {
    @Property(tries = 1000)
    void requestsComeBackAsTheyWere(
            @ForAll TransferRequest.Kind kind,
            @ForAll @IntRange(max = TransferRequest.MAX_FILE) int file,
            @ForAll @IntRange(min = 1, max = TransferRequest.MAX_CHUNK_BYTES) int chunkBytes,
            @ForAll @LongRange(max = TransferRequest.MAX_SIZE_BYTES) long sizeBytes) {
        TransferRequest request = new TransferRequest(kind, file, chunkBytes, sizeBytes);
        assertThat(TransferRequest.decode(encoded(request))).isEqualTo(request);
    }

    @Property(tries = 500)
    void anyBytesAreRefusedOrWithinTheLimits(
            @ForAll @Size(TransferRequest.BYTES) byte[] bytes, @ForAll boolean rightMagic) {
        MemorySegment memory = MemorySegment.ofArray(bytes);
        if (rightMagic) {
            MemorySegment good = encoded(new TransferRequest(TransferRequest.Kind.READ, 0, 1, 0));
            MemorySegment.copy(good, 0, memory, 0, 4);
            memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4, 1 + (bytes[4] & 1));
        }
        TransferRequest request = TransferRequest.decode(memory);
        if (request != null) {
            assertThat(request.file()).isBetween(0, TransferRequest.MAX_FILE);
            assertThat(request.chunkBytes()).isBetween(1, TransferRequest.MAX_CHUNK_BYTES);
            assertThat(request.sizeBytes()).isBetween(0L, TransferRequest.MAX_SIZE_BYTES);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,0", "4,0", "4,3", "8,-1", "8,65536", "12,0", "12,-5", "12,16777217"})
    void refusesAFieldOutOfItsBounds(long offset, int value) {
        MemorySegment request = encoded(new TransferRequest(TransferRequest.Kind.WRITE, 1, 2, 3));
        request.set(ValueLayout.JAVA_INT_UNALIGNED, offset, value);
        assertThat(TransferRequest.decode(request)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"-1", "1099511627777", "-9223372036854775808"})
    void refusesASizeOutOfItsBounds(long size) {
        MemorySegment request = encoded(new TransferRequest(TransferRequest.Kind.WRITE, 1, 2, 3));
        request.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, size);
        assertThat(TransferRequest.decode(request)).isNull();
    }

    @Test
    void refusesAnotherLength() {
        MemorySegment request = encoded(new TransferRequest(TransferRequest.Kind.WRITE, 1, 2, 3));
        assertThat(TransferRequest.decode(request.asSlice(0, TransferRequest.BYTES - 1))).isNull();
        assertThat(TransferRequest.decode(MemorySegment.ofArray(new byte[0]))).isNull();
    }

    @Test
    void repliesComeBackAsTheyWere() {
        TransferReply reply = new TransferReply(ErrorCode.EIO.negativeValue(), 1L << 33);
        MemorySegment memory = MemorySegment.ofArray(new byte[TransferReply.BYTES]);
        reply.encode(memory);
        assertThat(TransferReply.decode(memory)).isEqualTo(reply);
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4, 1);
        assertThat(TransferReply.decode(memory)).isNull();
        reply.encode(memory);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, -1L);
        assertThat(TransferReply.decode(memory)).isNull();
        assertThat(TransferReply.decode(memory.asSlice(0, 4))).isNull();
    }

    private static MemorySegment encoded(TransferRequest request) {
        MemorySegment memory = MemorySegment.ofArray(new byte[TransferRequest.BYTES]);
        request.encode(memory);
        return memory;
    }
}
