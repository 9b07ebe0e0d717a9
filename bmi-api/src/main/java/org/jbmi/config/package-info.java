/**
 * Knobs: the settings, each with one declaration for the builder, the environment, the output of
 * {@code bin/bmi info} and the reference page.
 */
@NullMarked
package org.jbmi.config;

import org.jspecify.annotations.NullMarked;
