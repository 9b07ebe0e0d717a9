/**
 * Knobs: one declaration each, feeding the builder, the environment, the print-out and the
 * reference page.
 */
@NullMarked
package org.jbmi.config;

import org.jspecify.annotations.NullMarked;
