/**
 * The rules of BMI as a small model, and a player that runs a program on a method and on the model
 * side by side. {@link org.jbmi.testsuite.model.Model} is short enough to be checked by reading.
 */
@NullMarked
package org.jbmi.testsuite.model;

import org.jspecify.annotations.NullMarked;
