/** Serves a folder to zoidfs clients. */
@NullMarked
package org.jbmi.zoidfs.server;

import org.jspecify.annotations.NullMarked;
