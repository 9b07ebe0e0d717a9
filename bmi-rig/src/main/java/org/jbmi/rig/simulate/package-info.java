/** The command that runs simulated worlds. */
@NullMarked
package org.jbmi.rig.simulate;

import org.jspecify.annotations.NullMarked;
