/** The files of a zoidfs server as a folder of this host, for programs that know neither. */
@NullMarked
package org.jbmi.zoidfs.fuse;

import org.jspecify.annotations.NullMarked;
