package org.jbmi.shipper;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.shipper.client.ClientCore;
import org.jbmi.shipper.client.ClientSettings;
import org.jbmi.shipper.server.ServerCore;
import org.jbmi.shipper.server.ServerSettings;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The settings of a client or a server before it is made. Not thread-safe. */
public final class ShipperBuilder {
    private final Bmi bmi;
    private final Map<String, String> knobs = new LinkedHashMap<>();
    private boolean ownThreads = true;
    private boolean countsReferences;
    private LongSupplier clock = System::nanoTime;

    ShipperBuilder(Bmi bmi) {
        this.bmi = bmi;
    }

    /**
     * Sets a knob. It overrides the system property and the environment variable.
     *
     * @param name for example {@code "shipper.maxCalls"}, see {@link ShipperKnobs}
     * @param value as text
     * @return this
     */
    public ShipperBuilder knob(String name, String value) {
        knobs.put(name, value);
        return this;
    }

    /**
     * Uses no thread. A client makes progress only while the program waits for a call or calls
     * {@link Shipper#progress}. A server makes progress only in {@link ShipperServer#process}, and
     * handlers run in the thread that calls {@code process}.
     *
     * @return this
     */
    public ShipperBuilder withoutThreads() {
        ownThreads = false;
        return this;
    }

    /**
     * Must be called if the instance was opened with {@code automaticReferences(true)}, so that a
     * server releases the reference that each message brings. Without this a server neither adds
     * nor releases references of its clients.
     *
     * @return this
     */
    public ShipperBuilder releasingReferences() {
        countsReferences = true;
        return this;
    }

    /** For tests: sets the clock. */
    ShipperBuilder clock(LongSupplier nanoseconds) {
        clock = nanoseconds;
        return this;
    }

    /**
     * Makes a client.
     *
     * @return an open client
     * @throws BmiException with {@link ErrorCode#EINVAL} for an unknown knob or a bad value, {@link
     *     ErrorCode#EBUSY} if the instance has as many contexts as it may have
     */
    public Shipper client() {
        Configuration known = Configuration.resolve(ShipperKnobs.all(), knobs);
        ClientSettings settings = clientSettings(known);
        return retaining(() -> new Shipper(new ClientCore(bmi, settings)));
    }

    /** Retains the instance for what is made, unless that fails. */
    private <T> T retaining(Supplier<T> maker) {
        bmi.retain();
        try {
            return maker.get();
        } catch (RuntimeException | Error e) {
            bmi.close();
            throw e;
        }
    }

    private ClientSettings clientSettings(Configuration known) {
        return new ClientSettings(
                number(known, ShipperKnobs.TAG_PREFIX),
                number(known, ShipperKnobs.INBOX_BYTES),
                number(known, ShipperKnobs.MAX_CALLS),
                known.get(ShipperKnobs.DEADLINE_MS),
                number(known, ShipperKnobs.MAX_INPUT_BYTES),
                number(known, ShipperKnobs.MAX_OUTPUT_BYTES),
                number(known, ShipperKnobs.CHUNKS_IN_FLIGHT),
                known.get(ShipperKnobs.CONNECT_TIMEOUT_MS),
                known.get(ShipperKnobs.CLOSE_WAIT_MS),
                known.get(ShipperKnobs.LINGER_US) * 1_000,
                ownThreads,
                clock);
    }

    /**
     * Makes a server. It receives calls after {@link ShipperServer#start}.
     *
     * @return a server
     * @throws BmiException with {@link ErrorCode#EINVAL} for an unknown knob or a bad value, {@link
     *     ErrorCode#EBUSY} if the instance has as many contexts as it may have
     */
    public ShipperServer server() {
        Configuration known = Configuration.resolve(ShipperKnobs.all(), knobs);
        ServerSettings settings = serverSettings(known);
        ThreadFactory handlers = Thread.ofVirtual().name("shipper-handler").factory();
        return retaining(() -> new ShipperServer(new ServerCore(bmi, settings, handlers)));
    }

    ServerSettings serverSettings(Configuration known) {
        return new ServerSettings(
                number(known, ShipperKnobs.TAG_PREFIX),
                number(known, ShipperKnobs.MAX_RUNNING),
                number(known, ShipperKnobs.MAX_RUNNING_PER_CLIENT),
                number(known, ShipperKnobs.MAX_CALLS_PER_CLIENT),
                number(known, ShipperKnobs.MAX_WAITING),
                number(known, ShipperKnobs.MAX_SESSIONS),
                number(known, ShipperKnobs.MAX_SESSIONS_PER_PEER),
                number(known, ShipperKnobs.MAX_INPUT_BYTES),
                number(known, ShipperKnobs.MAX_OUTPUT_BYTES),
                known.get(ShipperKnobs.MAX_HELD_BYTES),
                known.get(ShipperKnobs.MAX_LEASED_BYTES),
                number(known, ShipperKnobs.CHUNK_BYTES),
                number(known, ShipperKnobs.CHUNKS_IN_FLIGHT),
                known.get(ShipperKnobs.TRANSFER_IDLE_MS),
                known.get(ShipperKnobs.CLOSE_WAIT_MS),
                ownThreads,
                known.get(ShipperKnobs.INTROSPECTION),
                countsReferences,
                clock);
    }

    private static int number(Configuration known, Knob<Long> knob) {
        return Math.toIntExact(known.get(knob));
    }
}
