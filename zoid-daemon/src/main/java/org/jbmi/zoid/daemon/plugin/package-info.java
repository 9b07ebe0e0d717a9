/** The plug-ins that a server has loaded, and their lifecycle. */
@NullMarked
package org.jbmi.zoid.daemon.plugin;

import org.jspecify.annotations.NullMarked;
