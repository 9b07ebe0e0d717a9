/** The plug-ins that a server has loaded, and what each of them was told. */
@NullMarked
package org.jbmi.zoid.daemon.plugin;

import org.jspecify.annotations.NullMarked;
