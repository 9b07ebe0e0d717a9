/**
 * The loopback method: messages between peers of one process that share a hub, with one copy each.
 */
@NullMarked
package org.jbmi.loopback;

import org.jspecify.annotations.NullMarked;
