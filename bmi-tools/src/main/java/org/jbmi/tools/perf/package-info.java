/** The command {@code bmi perf}: measures messages between processes. */
@NullMarked
package org.jbmi.tools.perf;

import org.jspecify.annotations.NullMarked;
