/**
 * The tcp method: connections between hosts, with the wire format of the C library, so that C
 * programs can be peers.
 */
@NullMarked
package org.jbmi.tcp;

import org.jspecify.annotations.NullMarked;
