/**
 * The conformance kit: fixtures, clean-environment checks and the numbered cases that every method
 * must pass.
 */
@NullMarked
package org.jbmi.testsuite;

import org.jspecify.annotations.NullMarked;
