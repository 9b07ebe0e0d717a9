package org.jbmi.architecture.guilty;

import java.lang.foreign.Linker;

/** Makes ready to call the operating system, outside the package for that. */
public final class CallsTheSystem {

    /** The way to downcalls. */
    public final Linker linker = Linker.nativeLinker();
}
