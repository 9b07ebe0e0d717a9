/**
 * What zoid's processes say to each other in a segment: where everything lies in it, the words that
 * both sides change, and the messages in its lanes, each with its readers and writers.
 */
@NullMarked
package org.jbmi.zbmi.protocol;

import org.jspecify.annotations.NullMarked;
