/** What a process of a measurement does: its endpoint, and the flows of clients and server. */
@NullMarked
package org.jbmi.rig.perf.worker;

import org.jspecify.annotations.NullMarked;
