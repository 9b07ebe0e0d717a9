package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.util.List;

/** A call leaves little to the collector, compiled or not. */
@Timeout(120)
class CallCostTest {
    static final List<String> METHODS = Setup.METHODS;

    private static final int ROUNDS = 300;

    /**
     * Four records of 24 bytes among them. It takes 336, and on zoid 40 more each time that one of
     * its methods runs before the second compiler has done its work.
     */
    private static final long MOST_BYTES = 420;

    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallAllocatesItsRecordsAndLittleElse(String method) throws IOException {
        try (CallCost cost = new CallCost(method)) {
            CallCost.leastBytes(cost::call, ROUNDS);
            long byHand = CallCost.leastBytes(cost::messages, ROUNDS);
            long call = CallCost.leastBytes(cost::call, ROUNDS);
            System.out.println(method + ": " + call + " B a call, " + byHand + " B by hand");
            assertThat(call - byHand).isLessThanOrEqualTo(MOST_BYTES);
        }
    }
}
