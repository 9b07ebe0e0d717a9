/**
 * Baselines for messages: plain ways of moving bytes between two processes. Others are found as
 * services, so that their libraries are optional.
 */
@NullMarked
package org.jbmi.rig.perf.baseline;

import org.jspecify.annotations.NullMarked;
