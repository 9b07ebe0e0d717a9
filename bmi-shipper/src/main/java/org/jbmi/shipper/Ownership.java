package org.jbmi.shipper;

import org.jbmi.Bmi;

/** A reference to the instance that a client or a server has retained, released once. */
final class Ownership {
    private final Bmi bmi;
    private boolean over;

    Ownership(Bmi bmi) {
        this.bmi = bmi;
    }

    /** Runs an action and then releases the reference; does nothing the second time. */
    void giveUp(Runnable end) {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
        }
        try {
            end.run();
        } finally {
            bmi.close();
        }
    }
}
