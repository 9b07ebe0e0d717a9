/** The plug-in {@code zoidfs}: the files of a zoidfs server, forwarded or without a detour. */
@NullMarked
package org.jbmi.zoid.plugins.zoidfs;

import org.jspecify.annotations.NullMarked;
