/** The peers of an instance, and their addresses. Not exported. */
@NullMarked
package org.jbmi.core.peer;

import org.jspecify.annotations.NullMarked;
