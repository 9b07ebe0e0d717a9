/** The flight recorder's events of the core. Not exported. */
@NullMarked
package org.jbmi.core.events;

import org.jspecify.annotations.NullMarked;
