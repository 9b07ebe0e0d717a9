/** Helpers for tests of methods and of tools: child processes, free ports, JSON. */
@NullMarked
package org.jbmi.testsuite.support;

import org.jspecify.annotations.NullMarked;
