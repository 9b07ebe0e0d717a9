/**
 * Baselines for messages: simple ways to move bytes between two processes. ServiceLoader finds
 * others, so that their libraries are optional.
 */
@NullMarked
package org.jbmi.rig.perf.baseline;

import org.jspecify.annotations.NullMarked;
