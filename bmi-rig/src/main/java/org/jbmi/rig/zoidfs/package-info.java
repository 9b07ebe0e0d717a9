/**
 * Measures zoidfs beside the layers below it: a raw connection, the file itself, the messages of
 * BMI. Both sides take turns, and the result is the ratio of a round.
 */
@NullMarked
package org.jbmi.rig.zoidfs;

import org.jspecify.annotations.NullMarked;
