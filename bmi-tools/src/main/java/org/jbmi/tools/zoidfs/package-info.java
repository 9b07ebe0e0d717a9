/** The commands of {@code zoidfs}. */
@NullMarked
package org.jbmi.tools.zoidfs;

import org.jspecify.annotations.NullMarked;
