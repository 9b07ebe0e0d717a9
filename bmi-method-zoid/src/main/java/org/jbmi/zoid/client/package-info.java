/** The client half of the zoid method. Not exported. */
@NullMarked
package org.jbmi.zoid.client;

import org.jspecify.annotations.NullMarked;
