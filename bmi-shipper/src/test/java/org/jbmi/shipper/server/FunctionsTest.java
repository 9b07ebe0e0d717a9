package org.jbmi.shipper.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.pump.Work;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two names with one number are never both offered. */
@Timeout(60)
class FunctionsTest {
    /** A function that nobody calls. */
    private record Named(String name) implements Served {
        @Override
        public String signature() {
            return "{} -> {}";
        }

        @Override
        public long fingerprint() {
            return 1;
        }

        @Override
        public Object read(Decoder in) {
            throw new AssertionError(name);
        }

        @Override
        public @Nullable Outgoing run(ServerCall call) {
            throw new AssertionError(name);
        }
    }

    private static final class Nothing implements Work {
        @Override
        public boolean look() {
            return false;
        }

        @Override
        public void tick(long nowNs) {}

        @Override
        public boolean isBusy() {
            return false;
        }

        @Override
        public void lost(int code) {}
    }

    @Test
    void aNameWhoseNumberIsTakenIsRefusedAndTheOtherOneStays() {
        try (Bmi bmi = Bmi.open()) {
            Pump pump = new Pump(bmi, System::nanoTime, new Nothing());
            Functions functions = new Functions(pump, String::length); // read and seek are alike
            Named read = new Named("read");
            functions.register(read);
            assertThatThrownBy(() -> functions.register(new Named("seek")))
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EEXIST))
                    .hasMessageContaining("The names read and seek have the same number");
            assertThat(functions.find(4)).isSameAs(read);
            assertThat(functions.unregister("read")).isTrue();
            functions.register(new Named("seek"));
            pump.close(1_000);
        }
    }
}
