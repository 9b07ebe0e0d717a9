package org.jbmi.architecture.guilty;

/** A class with methods that nothing calls, beside some that something does. */
public final class NobodyCalls implements Runnable {
    private NobodyCalls() {}

    @Override
    public void run() {
        called();
        Runnable reference = NobodyCalls::referred;
        reference.run();
    }

    static void called() {}

    static void referred() {}

    static void unused() {}

    static int itself(int depth) {
        return depth == 0 ? 0 : itself(depth - 1);
    }
}
