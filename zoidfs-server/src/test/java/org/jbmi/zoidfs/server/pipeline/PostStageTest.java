package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.RingBuffer;

import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Replies that cannot be posted. */
class PostStageTest {
    private static <T> T withoutMemory(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            throw new OutOfMemoryError("planted by the test");
                        }));
    }

    @Test
    void aCallIsOverThoughThereIsNoMemoryToDisconnectItsClient() {
        List<Call> over = new ArrayList<>();
        Feed feed = new Feed(RingBuffer.createMultiProducer(Inbound::new, 4));
        PostStage posts =
                new PostStage(withoutMemory(CompletionContext.class), 1_000, feed, over::add);
        Call call = new Call(withoutMemory(PeerAddress.class), 7, 0);
        posts.answer(call, new byte[4]);
        assertThat(over).containsExactly(call);
    }
}
