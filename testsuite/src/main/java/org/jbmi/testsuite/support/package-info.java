/**
 * Helpers for tests of methods and of tools: child processes, free ports, and what is left behind.
 */
@NullMarked
package org.jbmi.testsuite.support;

import org.jspecify.annotations.NullMarked;
