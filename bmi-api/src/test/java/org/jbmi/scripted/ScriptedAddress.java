package org.jbmi.scripted;

import org.jbmi.spi.MethodAddress;

/** A peer of the scripted method. */
public final class ScriptedAddress extends MethodAddress {
    private final String name;

    ScriptedAddress(String name) {
        this.name = name;
    }

    @Override
    public String displayName() {
        return name;
    }
}
