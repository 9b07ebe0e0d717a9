/** What a server counts. */
@NullMarked
package org.jbmi.zoidfs.server.observe;

import org.jspecify.annotations.NullMarked;
