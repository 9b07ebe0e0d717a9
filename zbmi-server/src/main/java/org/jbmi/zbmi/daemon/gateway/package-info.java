/** The daemon's gateway: remote clients on sockets, each of them a client of the engine. */
@NullMarked
package org.jbmi.zbmi.daemon.gateway;

import org.jspecify.annotations.NullMarked;
