/**
 * The client link of those who cannot map the segment: frames on a Unix-domain or TCP socket, the
 * client's end, and the relay that is the engine's side of it.
 */
@NullMarked
package org.jbmi.zbmi.socket;

import org.jspecify.annotations.NullMarked;
