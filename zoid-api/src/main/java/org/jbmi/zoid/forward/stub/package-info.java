/** The base of generated stubs and dispatchers; not for direct use. */
@NullMarked
package org.jbmi.zoid.forward.stub;

import org.jspecify.annotations.NullMarked;
