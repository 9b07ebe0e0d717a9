/**
 * Replays recordings of what C programs sent to each other: one side is played by the library, the
 * other by a plain socket that sends the recorded bytes and compares those that come back.
 */
@NullMarked
package org.jbmi.testsuite.golden;

import org.jspecify.annotations.NullMarked;
