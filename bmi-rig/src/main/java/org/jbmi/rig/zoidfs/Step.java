package org.jbmi.rig.zoidfs;

import java.io.IOException;

/** The action that one thread of a measurement repeats. */
interface Step extends AutoCloseable {
    /** Does it once. */
    void run() throws IOException;

    @Override
    default void close() throws IOException {}
}
