/** Benchmarks of single hot paths, run by JMH. */
@NullMarked
package org.jbmi.benchmarks;

import org.jspecify.annotations.NullMarked;
