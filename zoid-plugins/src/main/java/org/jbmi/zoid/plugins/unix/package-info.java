/** The plug-in {@code unix}: the files of the server. */
@NullMarked
package org.jbmi.zoid.plugins.unix;

import org.jspecify.annotations.NullMarked;
