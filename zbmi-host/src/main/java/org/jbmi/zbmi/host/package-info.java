/** Hosting of an engine: sessions, liveness, counters, its socket and its memory. */
@NullMarked
package org.jbmi.zbmi.host;

import org.jspecify.annotations.NullMarked;
