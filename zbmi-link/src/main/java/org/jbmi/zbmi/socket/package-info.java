/**
 * The client link through a Unix-domain or TCP socket, for clients that cannot map the segment:
 * frames, the client's end, and the relay, which is the engine's side.
 */
@NullMarked
package org.jbmi.zbmi.socket;

import org.jspecify.annotations.NullMarked;
