package org.jbmi.zoid.forward.client;

import org.jbmi.Bmi;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** Describes a client before it connects. Not thread-safe. */
public final class ZoidBuilder {
    private final Bmi bmi;
    private Launch launch = Launch.of(System.getenv());
    private boolean throwing = true;
    private @Nullable Duration callTimeout;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private boolean thread = true;
    private List<String> program = List.of();

    ZoidBuilder(Bmi bmi) {
        this.bmi = bmi;
    }

    /**
     * Lets calls return when the forwarding layer fails; check {@link Zoid#error} after each. A
     * function then returns -1, false, or nothing.
     *
     * @return this
     */
    public ZoidBuilder withErrorCodes() {
        throwing = false;
        return this;
    }

    /**
     * Sets the rank of the process; by default it comes from the environment.
     *
     * @param known rank, size and job
     * @return this
     */
    public ZoidBuilder launch(Launch known) {
        launch = known;
        return this;
    }

    /**
     * Limits the time of a call; without it a call waits as long as the server lives.
     *
     * @param timeout the longest wait; then the call is cancelled
     * @return this
     */
    public ZoidBuilder callTimeout(Duration timeout) {
        callTimeout = timeout;
        return this;
    }

    /**
     * Limits how long connecting may take; by default 10 seconds. The attempt also ends after the
     * time of the knob {@code shipper.connectTimeoutMs}, by default 10 s; to wait longer, raise
     * both.
     *
     * @param timeout the longest wait
     * @return this
     */
    public ZoidBuilder connectTimeout(Duration timeout) {
        connectTimeout = timeout;
        return this;
    }

    /**
     * Sets the program of the process, for plug-ins of a job that another launcher has started.
     *
     * @param words the name of the program, and its arguments
     * @return this
     */
    public ZoidBuilder program(List<String> words) {
        program = List.copyOf(words);
        return this;
    }

    /**
     * Makes no thread: the client notices the server's actions during calls only.
     *
     * @return this
     */
    public ZoidBuilder withoutThread() {
        thread = false;
        return this;
    }

    /**
     * Connects.
     *
     * @param address where the server is
     * @return an open client
     * @throws ZoidException if there is no server of ZOID, if it does not answer, or if it refuses
     *     the process
     * @throws org.jbmi.BmiException if the address is wrong or its host cannot be reached
     */
    public Zoid connect(String address) {
        return new Zoid(bmi, address, this);
    }

    Launch launch() {
        return launch;
    }

    boolean isThrowing() {
        return throwing;
    }

    @Nullable Duration callTimeout() {
        return callTimeout;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    boolean hasThread() {
        return thread;
    }

    List<String> program() {
        return program;
    }
}
