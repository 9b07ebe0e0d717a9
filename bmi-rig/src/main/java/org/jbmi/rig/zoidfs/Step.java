package org.jbmi.rig.zoidfs;

import java.io.IOException;

/** What one thread of a measurement does again and again. */
interface Step extends AutoCloseable {
    /** Does it once. */
    void run() throws IOException;

    @Override
    default void close() throws IOException {}
}
