/**
 * What the engine gets from its host, and what it tells the host: limits, outputs, counters,
 * faults.
 */
@NullMarked
package org.jbmi.zbmi.engine.port;

import org.jspecify.annotations.NullMarked;
