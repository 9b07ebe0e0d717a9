/** {@code bmi golden}: the replay of messages that C programs exchanged. */
@NullMarked
package org.jbmi.rig.golden;

import org.jspecify.annotations.NullMarked;
