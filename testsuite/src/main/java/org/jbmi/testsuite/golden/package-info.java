/**
 * Replays recordings of C programs. The library plays one side, and a plain socket the other, which
 * sends the recorded bytes and compares those that come back.
 */
@NullMarked
package org.jbmi.testsuite.golden;

import org.jspecify.annotations.NullMarked;
