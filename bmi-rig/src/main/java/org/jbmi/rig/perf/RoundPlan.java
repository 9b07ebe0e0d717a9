package org.jbmi.rig.perf;

/**
 * How long each round of a measurement is, and how many there are. A round ends when the receivers
 * have everything that was sent. This takes several times the length of the round when many senders
 * fill the queues of their sockets. So a measurement whose number of rounds nobody chose also ends
 * when it has taken twice its time.
 *
 * @param roundMillis the time in which a round sends
 * @param most the greatest number of rounds
 * @param limitMillis the time of all rounds and sides together, after which none begins but the
 *     first few
 */
record RoundPlan(long roundMillis, long most, long limitMillis) {
    private static final long MIN_ROUND_MS = 100;
    private static final int MIN_ROUNDS = 5;

    /**
     * Divides the time of a measurement.
     *
     * @param neededMillis the time in which a round has enough exchanges
     * @return rounds as long as needed, as many as the time has
     */
    static RoundPlan of(PerfPlan.Times times, long neededMillis, int sides) {
        long millis = Math.max(1, times.millis());
        if (times.rounds() > 0) {
            long each = Math.max(1, millis / times.rounds());
            return new RoundPlan(each, times.rounds(), Long.MAX_VALUE);
        }
        long each = Math.min(Math.max(MIN_ROUND_MS, neededMillis), millis);
        return new RoundPlan(each, Math.max(MIN_ROUNDS, millis / each), 2 * millis * sides);
    }

    /**
     * Divides the time of a measurement in which nothing is sent.
     *
     * @return one round, unless the user chose more: after its last event a waiting thread first
     *     wakes more often, and each round would begin with that
     */
    static RoundPlan ofIdle(PerfPlan.Times times) {
        int rounds = Math.max(1, times.rounds());
        return of(new PerfPlan.Times(times.warmUpMillis(), times.millis(), rounds), 0, 1);
    }

    /** Whether another round begins when so many are over after this time. */
    boolean hasAnother(int done, long elapsedMillis) {
        return done < most && (done < MIN_ROUNDS || elapsedMillis < limitMillis);
    }
}
