package org.jbmi.scripted;

import org.jbmi.spi.MethodAddress;

/** A peer of the scripted method. */
public final class ScriptedAddress extends MethodAddress {
    private final String name;

    /** Whether asking for its name fails. */
    public volatile boolean failName;

    ScriptedAddress(String name) {
        this.name = name;
    }

    @Override
    public String displayName() {
        if (failName) {
            throw new IllegalStateException("planted");
        }
        return name;
    }
}
