/** Commands to try the tcp method by hand: an echo server and its client. */
@NullMarked
package org.jbmi.tools.tcp;

import org.jspecify.annotations.NullMarked;
