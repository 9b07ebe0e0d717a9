/** Sockets and buffers of the tcp method; nothing here knows of peers or operations under way. */
@NullMarked
package org.jbmi.tcp.io;

import org.jspecify.annotations.NullMarked;
