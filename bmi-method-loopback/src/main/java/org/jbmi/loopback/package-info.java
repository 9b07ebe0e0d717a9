/** The loopback method: peers of one process meet at a hub, with one copy a message. */
@NullMarked
package org.jbmi.loopback;

import org.jspecify.annotations.NullMarked;
