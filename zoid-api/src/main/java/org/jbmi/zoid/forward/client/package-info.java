/** What a program needs that calls plug-ins. */
@NullMarked
package org.jbmi.zoid.forward.client;

import org.jspecify.annotations.NullMarked;
