/** Aeron as a baseline of the command {@code bmi perf}. */
@NullMarked
package org.jbmi.benchmarks.aeron;

import org.jspecify.annotations.NullMarked;
