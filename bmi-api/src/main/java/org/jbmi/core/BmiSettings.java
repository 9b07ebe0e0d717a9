package org.jbmi.core;

import java.util.List;
import java.util.Map;

/**
 * What a {@link org.jbmi.BmiBuilder} collected.
 *
 * @param listenAddresses addresses to serve, empty for a client
 * @param methods methods to activate on opening
 * @param knobs values by name, as text
 * @param attachments objects for methods, by type
 * @param automaticReferences whether each delivered unexpected message adds a reference to its
 *     sender
 */
public record BmiSettings(
        List<String> listenAddresses,
        List<String> methods,
        Map<String, String> knobs,
        Map<Class<?>, Object> attachments,
        boolean automaticReferences) {
    /** Keeps copies. */
    public BmiSettings {
        listenAddresses = List.copyOf(listenAddresses);
        methods = List.copyOf(methods);
        knobs = Map.copyOf(knobs);
        attachments = Map.copyOf(attachments);
    }
}
