/** The annotation processor: from an annotated interface to a client stub and a dispatcher. */
@NullMarked
package org.jbmi.zoid.processor.plugin;

import org.jspecify.annotations.NullMarked;
