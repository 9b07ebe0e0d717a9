/** The protocol of zoid: the layout of the segment, messages and handshake frames. */
@NullMarked
package org.jbmi.zbmi.protocol;

import org.jspecify.annotations.NullMarked;
