/**
 * Measures zoidfs beside the layers below it: a raw connection, the file itself, the messages of
 * BMI. Both sides run in turns, and the result is their ratio in each round.
 */
@NullMarked
package org.jbmi.rig.zoidfs;

import org.jspecify.annotations.NullMarked;
