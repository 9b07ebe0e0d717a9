/**
 * How a peer finds a host and attaches to it: runtime directory, handshake, socket, mapped segment.
 */
@NullMarked
package org.jbmi.zbmi.attach;

import org.jspecify.annotations.NullMarked;
