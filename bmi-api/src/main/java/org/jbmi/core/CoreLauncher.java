package org.jbmi.core;

import org.jbmi.Bmi;
import org.jbmi.BmiSettings;

/** The door from the public builder to the core. */
public final class CoreLauncher {
    private CoreLauncher() {}

    /**
     * Opens an instance.
     *
     * @param settings what the builder collected
     * @return an open instance
     */
    public static Bmi open(BmiSettings settings) {
        CoreBmi bmi = new CoreBmi(settings);
        bmi.start();
        return bmi;
    }
}
