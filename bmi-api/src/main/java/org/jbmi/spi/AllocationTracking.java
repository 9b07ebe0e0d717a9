package org.jbmi.spi;

import org.jbmi.config.Knob;

/** Whether methods record where a program allocates its buffers, to report leaks. */
public final class AllocationTracking {
    /** The knob of every instance. */
    public static final Knob<Boolean> KNOB =
            Knob.flag(
                    "bmi.trackAllocations",
                    false,
                    "Whether to record where each buffer was allocated. A close"
                            + " then logs buffers that were never freed, up to 16 for each"
                            + " method, with their thread and stack. It costs microseconds and"
                            + " garbage for each allocation.");

    private AllocationTracking() {}
}
