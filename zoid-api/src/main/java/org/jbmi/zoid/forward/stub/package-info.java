/** What the generated stubs and dispatchers stand on; nothing here is for people to call. */
@NullMarked
package org.jbmi.zoid.forward.stub;

import org.jspecify.annotations.NullMarked;
