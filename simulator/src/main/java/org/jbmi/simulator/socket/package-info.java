/**
 * The sockets and selectors that production code gets in a simulation: Unix sockets to a host, and
 * connections of remote clients to the gateway. Some are late, refused, cut or damaged.
 */
@NullMarked
package org.jbmi.simulator.socket;

import org.jspecify.annotations.NullMarked;
