/** {@code bmi golden}: the replay of what C programs sent each other. */
@NullMarked
package org.jbmi.rig.golden;

import org.jspecify.annotations.NullMarked;
