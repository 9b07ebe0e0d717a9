/** Layouts of commands, replies and link frames. */
@NullMarked
package org.jbmi.zbmi.protocol;

import org.jspecify.annotations.NullMarked;
