/** The wire format of tcp: the two kinds of header, the modes, and the hash of a server's name. */
@NullMarked
package org.jbmi.tcp.wire;

import org.jspecify.annotations.NullMarked;
