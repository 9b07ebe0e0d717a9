package org.jbmi.zoid.client;

import org.jbmi.spi.MethodLimits;

/**
 * What the knobs say about a client's sessions.
 *
 * @param limits sizes in force
 * @param callTimeoutNs how long a call may stay unanswered
 * @param closeTimeoutNs how long a close may wait
 */
record ClientSettings(MethodLimits limits, long callTimeoutNs, long closeTimeoutNs) {}
