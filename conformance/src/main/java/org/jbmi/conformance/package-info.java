/** Fixtures of the project's own methods, a class for each configuration. */
@NullMarked
package org.jbmi.conformance;

import org.jspecify.annotations.NullMarked;
