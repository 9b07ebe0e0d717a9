package org.jbmi.benchmarks;

import org.jbmi.CancelOutcome;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A method that carries nothing: a send is done at once, a receive when the next send is posted. So
 * it shows the cost of the core.
 */
public final class NullMethod implements MethodProvider {
    private static final int MAX_BYTES = 1 << 20;

    @Override
    public String scheme() {
        return "null";
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return List.of();
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return new MethodLimits(MAX_BYTES, MAX_BYTES, 0, 1);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        return new Nothing(host, limits(host.configuration()));
    }

    private static final class Nowhere extends MethodAddress {
        @Override
        public String displayName() {
            return "nowhere";
        }
    }

    private static final class Nothing implements Method {
        private final MethodHost host;
        private final MethodLimits limits;
        private @Nullable Operation waiting;

        Nothing(MethodHost host, MethodLimits limits) {
            this.host = host;
            this.limits = limits;
        }

        @Override
        public MethodLimits limits() {
            return limits;
        }

        @Override
        public MethodAddress lookup(String address) {
            return new Nowhere();
        }

        @Override
        public long post(Operation operation) {
            return switch (operation.kind()) {
                case RECEIVE -> {
                    waiting = operation;
                    yield PENDING;
                }
                case SEND, SEND_UNEXPECTED -> {
                    Operation receive = waiting;
                    if (receive != null) {
                        waiting = null;
                        host.complete(receive, 0, operation.sizeBytes());
                    }
                    yield operation.sizeBytes();
                }
            };
        }

        @Override
        public CancelOutcome cancel(Operation operation, long id, int code) {
            return CancelOutcome.ALREADY_DONE;
        }

        @Override
        public @Nullable MemorySegment memalloc(long sizeBytes) {
            return null;
        }

        @Override
        public int memfree(MemorySegment memory) {
            return -1;
        }

        @Override
        public void unexpectedFree(long token) {}

        @Override
        public void close() {}
    }
}
