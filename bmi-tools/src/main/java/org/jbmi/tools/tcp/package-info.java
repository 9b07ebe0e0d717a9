/**
 * Commands to try the tcp method by hand: an echo server and its client, and the replay of
 * recordings.
 */
@NullMarked
package org.jbmi.tools.tcp;

import org.jspecify.annotations.NullMarked;
