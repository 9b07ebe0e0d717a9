/** What the flight recorder is told. Not exported. */
@NullMarked
package org.jbmi.core.events;

import org.jspecify.annotations.NullMarked;
