/** Helpers for tests of methods and of tools: child processes and free ports. */
@NullMarked
package org.jbmi.testsuite.support;

import org.jspecify.annotations.NullMarked;
