/**
 * The client link through a Unix-domain or TCP socket, for clients that cannot map the segment:
 * frames, the client's end, and what both ends share. The other end is the gateway of the daemon.
 */
@NullMarked
package org.jbmi.zbmi.socket;

import org.jspecify.annotations.NullMarked;
