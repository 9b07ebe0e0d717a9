/** The command that runs simulated worlds. */
@NullMarked
package org.jbmi.tools.simulate;

import org.jspecify.annotations.NullMarked;
