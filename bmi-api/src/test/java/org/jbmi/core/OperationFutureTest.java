package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.OperationFuture;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Outcomes as futures: each way to end, and waits that do not. */
class OperationFutureTest extends ScriptedTest {
    @Test
    void givesTheSizeToEveryCaller() throws Exception {
        long id = receive();
        OperationFuture future = OperationFuture.of(context, id);
        assertThat(future.isDone()).isFalse();
        Call<Long> one = start(() -> future.get());
        Call<Long> two = start(() -> future.get(LONG_MS, TimeUnit.MILLISECONDS));
        method.remote(() -> method.complete(id, 0, 77));
        assertThat(one.result()).isEqualTo(77);
        assertThat(two.result()).isEqualTo(77);
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
        assertThat(future.cancel(true)).isFalse();
        assertThat(inUse()).isZero();
    }

    @Test
    void whatEndsWithItsPostIsDone() throws Exception {
        assertThat(OperationFuture.of(context, 5).get()).isEqualTo(5);
        OperationFuture refused = OperationFuture.of(context, ErrorCode.EMSGSIZE.negativeValue());
        assertThat(refused.isDone()).isTrue();
        assertThatThrownBy(refused::get).isInstanceOf(ExecutionException.class);
    }

    @Test
    void failuresCarryTheirCode() {
        long id = receive();
        OperationFuture future = OperationFuture.of(context, id);
        method.complete(id, EIO, 0);
        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EIO));
    }

    @Test
    void aTimeInThePastChecksOnce() {
        OperationFuture future = OperationFuture.of(context, receive());
        Call<Boolean> call =
                start(
                        () -> {
                            assertThatThrownBy(
                                            () -> future.get(Long.MIN_VALUE, TimeUnit.NANOSECONDS))
                                    .isInstanceOf(TimeoutException.class);
                            return true;
                        });
        assertThat(call.result()).isTrue();
    }

    @Test
    void aPendingOneTimesOutAndCanBeCancelled() {
        OperationFuture future = OperationFuture.of(context, receive());
        assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class);
        assertThat(future.cancel(false)).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        assertThat(inUse()).isZero();
    }
}
