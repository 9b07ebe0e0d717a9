package org.jbmi.testsuite;

/**
 * The sizes that a case needs. A fixture translates them to its method's knobs.
 *
 * @param maxExpectedBytes largest expected message; 0 for what the fixture likes
 * @param maxUnexpectedBytes largest unexpected message; 0 for what the fixture likes
 * @param unexpectedMemoryBytes a receiver's memory for unexpected messages; 0 for what the fixture
 *     likes
 * @param poolBytes a server's memory for memalloc; 0 for what the fixture likes
 * @param brokerPlace where the broker runs, in environments that have one
 * @param segmentDirectory where the memory that peers share lies, in environments that have a file
 *     for it; empty for what the fixture likes
 */
public record EnvironmentSettings(
        long maxExpectedBytes,
        long maxUnexpectedBytes,
        long unexpectedMemoryBytes,
        long poolBytes,
        BrokerPlace brokerPlace,
        String segmentDirectory) {
    /** Where a broker runs. */
    public enum BrokerPlace {
        /** In any place; it need not be killed. */
        ANYWHERE,
        /** In a process of its own, which can be killed. */
        OWN_PROCESS,
        /** Nowhere until the case starts it, then in a process of its own. */
        NOT_STARTED
    }

    /** The fixture's defaults. */
    public static final EnvironmentSettings DEFAULT =
            new EnvironmentSettings(0, 0, 0, 0, BrokerPlace.ANYWHERE, "");

    private EnvironmentSettings with(
            long maxExpected, long maxUnexpected, long unexpectedMemory, long pool) {
        return new EnvironmentSettings(
                maxExpected, maxUnexpected, unexpectedMemory, pool, brokerPlace, segmentDirectory);
    }

    /**
     * {@return the same with another limit of expected messages}
     *
     * @param bytes largest expected message
     */
    public EnvironmentSettings withMaxExpected(long bytes) {
        return with(bytes, maxUnexpectedBytes, unexpectedMemoryBytes, poolBytes);
    }

    /**
     * {@return the same with another limit of unexpected messages}
     *
     * @param bytes largest unexpected message
     */
    public EnvironmentSettings withMaxUnexpected(long bytes) {
        return with(maxExpectedBytes, bytes, unexpectedMemoryBytes, poolBytes);
    }

    /**
     * {@return the same with another memory for unexpected messages}
     *
     * @param bytes what a receiver keeps
     */
    public EnvironmentSettings withUnexpectedMemory(long bytes) {
        return with(maxExpectedBytes, maxUnexpectedBytes, bytes, poolBytes);
    }

    /**
     * {@return the same with another pool}
     *
     * @param bytes what a server can give out
     */
    public EnvironmentSettings withPool(long bytes) {
        return with(maxExpectedBytes, maxUnexpectedBytes, unexpectedMemoryBytes, bytes);
    }

    /**
     * {@return the same with the broker elsewhere}
     *
     * @param place where it runs
     */
    public EnvironmentSettings withBroker(BrokerPlace place) {
        return new EnvironmentSettings(
                maxExpectedBytes,
                maxUnexpectedBytes,
                unexpectedMemoryBytes,
                poolBytes,
                place,
                segmentDirectory);
    }

    /**
     * {@return the same with the shared memory elsewhere}
     *
     * @param directory where its file lies
     */
    public EnvironmentSettings withSegmentDirectory(String directory) {
        return new EnvironmentSettings(
                maxExpectedBytes,
                maxUnexpectedBytes,
                unexpectedMemoryBytes,
                poolBytes,
                brokerPlace,
                directory);
    }
}
