package org.jbmi.zoid.client;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.MethodLimits;

/**
 * The settings of a client's sessions.
 *
 * @param limits sizes in force
 * @param callTimeoutNs how long a call may stay unanswered
 * @param closeTimeoutNs how long a close may wait
 * @param clock for timeouts and deadlines
 */
record ClientSettings(
        MethodLimits limits, long callTimeoutNs, long closeTimeoutNs, NanoClock clock) {}
