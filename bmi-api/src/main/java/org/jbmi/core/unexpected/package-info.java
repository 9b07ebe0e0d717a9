/** Unexpected messages, those who wait for them, and those who hold them. Not exported. */
@NullMarked
package org.jbmi.core.unexpected;

import org.jspecify.annotations.NullMarked;
