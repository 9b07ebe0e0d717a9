/**
 * Measures zoidfs beside what stands below it: a raw connection, the file itself, the messages of
 * BMI. Both sides take turns, and what counts is the ratio of a round.
 */
@NullMarked
package org.jbmi.rig.zoidfs;

import org.jspecify.annotations.NullMarked;
