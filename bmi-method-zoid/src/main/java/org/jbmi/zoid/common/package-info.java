/** What both halves of the zoid method are made of. Not exported. */
@NullMarked
package org.jbmi.zoid.common;

import org.jspecify.annotations.NullMarked;
