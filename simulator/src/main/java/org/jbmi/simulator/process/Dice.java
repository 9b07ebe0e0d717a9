package org.jbmi.simulator.process;

/** A small generator of pseudo-random numbers (splitmix64): the same seed, the same numbers. */
public final class Dice {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private long state;

    public Dice(long seed) {
        this.state = seed;
    }

    /** A seed computed from two numbers. */
    public static long mix(long a, long b) {
        return new Dice(a * 0x632be59bd9b4e019L + b).next();
    }

    public void seed(long seed) {
        state = seed;
    }

    public long next() {
        state += GAMMA;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** A number from 0 up to, but not including, a bound. */
    public int below(int bound) {
        return (int) ((next() >>> 33) % bound);
    }

    public boolean chance(int percent) {
        return below(100) < percent;
    }
}
