/**
 * What zoid's processes say to each other on a Unix-domain socket, outside of the segment: the
 * frames of the handshake, of the list of operations and of the end of a session, and their bytes.
 * Each frame is checked when it is decoded, and none is trusted before.
 */
@NullMarked
package org.jbmi.zbmi.protocol.handshake;

import org.jspecify.annotations.NullMarked;
