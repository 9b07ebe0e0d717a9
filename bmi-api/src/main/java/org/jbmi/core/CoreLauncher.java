package org.jbmi.core;

import org.jbmi.Bmi;

import java.util.List;
import java.util.Map;

/** Opens the core for the public builder. */
public final class CoreLauncher {
    private CoreLauncher() {}

    /**
     * Opens an instance.
     *
     * @param listenAddresses addresses to serve, empty for a client
     * @param methods methods to activate on opening
     * @param knobs values by name, as text
     * @param attachments objects for methods, by type
     * @param automaticReferences whether each delivered unexpected message adds a reference to its
     *     sender
     * @return an open instance
     */
    public static Bmi open(
            List<String> listenAddresses,
            List<String> methods,
            Map<String, String> knobs,
            Map<Class<?>, Object> attachments,
            boolean automaticReferences) {
        CoreBmi bmi =
                new CoreBmi(
                        new BmiSettings(
                                List.copyOf(listenAddresses),
                                List.copyOf(methods),
                                Map.copyOf(knobs),
                                Map.copyOf(attachments),
                                automaticReferences));
        bmi.start();
        return bmi;
    }
}
