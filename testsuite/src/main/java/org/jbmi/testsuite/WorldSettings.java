package org.jbmi.testsuite;

/**
 * Sizes that a case asks for. A fixture translates them to its method's knobs.
 *
 * @param maxExpectedBytes largest expected message; 0 for what the fixture likes
 * @param maxUnexpectedBytes largest unexpected message; 0 for what the fixture likes
 * @param unexpectedMemoryBytes a receiver's memory for unexpected messages; 0 for what the fixture
 *     likes
 * @param poolBytes a server's memory for memalloc; 0 for what the fixture likes
 */
public record WorldSettings(
        long maxExpectedBytes,
        long maxUnexpectedBytes,
        long unexpectedMemoryBytes,
        long poolBytes) {
    /** Everything as the fixture likes. */
    public static final WorldSettings DEFAULT = new WorldSettings(0, 0, 0, 0);

    /**
     * The same with another limit of expected messages.
     *
     * @param bytes largest expected message
     * @return new settings
     */
    public WorldSettings withMaxExpected(long bytes) {
        return new WorldSettings(bytes, maxUnexpectedBytes, unexpectedMemoryBytes, poolBytes);
    }

    /**
     * The same with another limit of unexpected messages.
     *
     * @param bytes largest unexpected message
     * @return new settings
     */
    public WorldSettings withMaxUnexpected(long bytes) {
        return new WorldSettings(maxExpectedBytes, bytes, unexpectedMemoryBytes, poolBytes);
    }

    /**
     * The same with another memory for unexpected messages.
     *
     * @param bytes what a receiver keeps
     * @return new settings
     */
    public WorldSettings withUnexpectedMemory(long bytes) {
        return new WorldSettings(maxExpectedBytes, maxUnexpectedBytes, bytes, poolBytes);
    }

    /**
     * The same with another pool.
     *
     * @param bytes what a server can give out
     * @return new settings
     */
    public WorldSettings withPool(long bytes) {
        return new WorldSettings(
                maxExpectedBytes, maxUnexpectedBytes, unexpectedMemoryBytes, bytes);
    }
}
