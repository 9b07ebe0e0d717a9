/**
 * What messages are compared with: plain ways of moving bytes between two processes. Others are
 * found as services, so that their libraries need not be here.
 */
@NullMarked
package org.jbmi.rig.perf.baseline;

import org.jspecify.annotations.NullMarked;
