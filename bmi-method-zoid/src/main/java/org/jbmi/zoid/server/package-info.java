/** The server half of the zoid method. Not exported. */
@NullMarked
package org.jbmi.zoid.server;

import org.jspecify.annotations.NullMarked;
