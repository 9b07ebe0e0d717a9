package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.test.TestClient;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Calls of the plug-in "test", one after the other, with arrays of the phase's size both ways. */
final class ForwardedFlow extends ClientFlow {
    private final Bmi bmi;
    private final String address;
    private final double[] numbers;
    private @Nullable Zoid zoid;

    ForwardedFlow(Bmi bmi, String address, Setup setup) {
        super(setup);
        this.bmi = bmi;
        this.address = address;
        numbers = new double[phase.bytes() / Double.BYTES];
    }

    @Override
    void opened() {
        zoid = Zoid.builder(bmi).launch(Launch.NONE).withoutThread().connect(address);
    }

    @Override
    void run() {
        TestClient test = new TestClient(Objects.requireNonNull(zoid));
        long now = System.nanoTime();
        long endNs = now + phase.millis() * RoundTrips.NS_PER_MS;
        while (now < endNs) {
            long startNs = now;
            test.square(numbers, numbers.length);
            sent++;
            now = System.nanoTime();
            latencies.recordValue(Math.max(1, now - startNs));
            exchanges++;
        }
    }

    @Override
    public void close() {
        if (zoid != null) {
            zoid.close();
        }
        super.close();
    }
}
