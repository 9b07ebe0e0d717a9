/** A client of zoidfs servers: the sixteen operations, blocking and with futures. */
@NullMarked
package org.jbmi.zoidfs.client;

import org.jspecify.annotations.NullMarked;
