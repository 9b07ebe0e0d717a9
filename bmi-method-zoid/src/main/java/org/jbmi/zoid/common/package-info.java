/** What both halves of the zoid method share. Not exported. */
@NullMarked
package org.jbmi.zoid.common;

import org.jspecify.annotations.NullMarked;
