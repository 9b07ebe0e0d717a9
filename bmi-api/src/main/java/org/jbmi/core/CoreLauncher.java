package org.jbmi.core;

import org.jbmi.Bmi;

/** Opens the core for the public builder. */
public final class CoreLauncher {
    private CoreLauncher() {}

    /** Opens an instance. */
    public static Bmi open(BmiSettings settings) {
        CoreBmi bmi = new CoreBmi(settings);
        bmi.start();
        return bmi;
    }
}
