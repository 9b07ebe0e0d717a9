/** Faults to be planted into a method, to see whether the tests of it find them. */
@NullMarked
package org.jbmi.testsuite.fault;

import org.jspecify.annotations.NullMarked;
