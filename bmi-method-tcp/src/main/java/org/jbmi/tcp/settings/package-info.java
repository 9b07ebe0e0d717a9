/** Settings and counters of the tcp method: knobs, options, counters and error codes. */
@NullMarked
package org.jbmi.tcp.settings;

import org.jspecify.annotations.NullMarked;
