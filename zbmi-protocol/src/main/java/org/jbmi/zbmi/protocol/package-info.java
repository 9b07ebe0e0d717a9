/**
 * What zoid's processes say to each other in a segment. These are the layout of the segment, the
 * words that both sides change, and the messages in its lanes, each with its readers and writers.
 */
@NullMarked
package org.jbmi.zbmi.protocol;

import org.jspecify.annotations.NullMarked;
