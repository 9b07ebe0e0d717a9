package org.jbmi.zoid;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Pipe;
import java.util.List;

/** A method that does nothing but make the core sleep in a selector, as one with sockets does. */
public final class SelectingProvider implements MethodProvider {
    @Override
    public String scheme() {
        return "selecting";
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
        return new MethodLimits(1 << 20, 8192, 0, 100);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        try {
            return new Selecting(Pipe.open());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Selecting implements Method, Waitable {
        private final Pipe pipe;

        Selecting(Pipe pipe) throws IOException {
            this.pipe = pipe;
            pipe.source().configureBlocking(false);
        }

        @Override
        public MethodLimits limits() {
            return new MethodLimits(1 << 20, 8192, 0, 100);
        }

        @Override
        public MethodAddress lookup(String address) {
            throw new BmiException(ErrorCode.ENOPROTOOPT, "This method has no addresses.");
        }

        @Override
        public long post(Operation operation) {
            return ErrorCode.EOPNOTSUPP.negativeValue();
        }

        @Override
        public CancelOutcome cancel(Operation operation, long id, int code) {
            return CancelOutcome.ALREADY_DONE;
        }

        @Override
        public Waitable waitable() {
            return this;
        }

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public boolean arm(boolean isSleptIn) {
            return true;
        }

        @Override
        public void disarm() {}

        @Override
        public SleepPlace sleepsOn() {
            return new SleepPlace.Channel(pipe.source());
        }

        @Override
        public MemorySegment memalloc(long sizeBytes) {
            return null;
        }

        @Override
        public int memfree(MemorySegment memory) {
            return ErrorCode.EINVAL.negativeValue();
        }

        @Override
        public void unexpectedFree(long token) {}

        @Override
        public void close() {
            try {
                pipe.source().close();
                pipe.sink().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
