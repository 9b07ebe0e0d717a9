/** The engine's end of lanes, doorbells and command channels, and its access to the segment. */
@NullMarked
package org.jbmi.zbmi.host.port;

import org.jspecify.annotations.NullMarked;
