/** Sockets and buffers of the tcp method, without peers or pending operations. */
@NullMarked
package org.jbmi.tcp.io;

import org.jspecify.annotations.NullMarked;
