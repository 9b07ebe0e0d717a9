/**
 * What zoid's processes say to each other on a Unix-domain socket, outside of the segment. These
 * are the frames of the handshake, of the list of operations and of the end of a session, and their
 * bytes. The decoder checks each frame; no code trusts a frame before.
 */
@NullMarked
package org.jbmi.zbmi.protocol.handshake;

import org.jspecify.annotations.NullMarked;
