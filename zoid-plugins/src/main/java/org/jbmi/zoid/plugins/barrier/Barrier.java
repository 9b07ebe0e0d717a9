package org.jbmi.zoid.plugins.barrier;

import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.ZoidPlugin;

/**
 * The functions of barrier.h.
 *
 * <p>The header also names what an implementation overrides: {@link #proc} (there {@code
 * barrier_proc}).
 */
@ZoidPlugin(id = 6, name = "barrier")
public interface Barrier extends PluginLifecycle {
    /** {@code int64_t barrier_wait()} */
    long wait_();
}
