/**
 * The engine: a state machine that takes events and emits actions; it does no input or output and
 * reads no clock.
 */
@NullMarked
package org.jbmi.zbmi.engine;

import org.jspecify.annotations.NullMarked;
