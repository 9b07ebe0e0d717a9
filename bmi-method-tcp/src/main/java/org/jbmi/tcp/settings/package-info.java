/**
 * What the tcp method is told and what it counts: knobs, settings, counters and the codes of its
 * outcomes.
 */
@NullMarked
package org.jbmi.tcp.settings;

import org.jspecify.annotations.NullMarked;
