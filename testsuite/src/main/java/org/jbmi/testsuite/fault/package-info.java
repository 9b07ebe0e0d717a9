/** Plants faults into classes of a method, to see whether its tests find them. */
@NullMarked
package org.jbmi.testsuite.fault;

import org.jspecify.annotations.NullMarked;
