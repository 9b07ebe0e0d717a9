package org.jbmi.shipper;

import org.jbmi.Bmi;

/** The instance that a client or a server has retained, to be given up once. */
final class Ownership {
    private final Bmi bmi;
    private boolean over;

    Ownership(Bmi bmi) {
        this.bmi = bmi;
    }

    /** Ends what stands on the instance, and then the ownership; nothing the second time. */
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
