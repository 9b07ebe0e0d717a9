/** Operations from the post to the report. Not exported. */
@NullMarked
package org.jbmi.core.operation;

import org.jspecify.annotations.NullMarked;
