/** Mounts the files of a zoidfs server as a folder of this host. */
@NullMarked
package org.jbmi.zoidfs.fuse;

import org.jspecify.annotations.NullMarked;
