/** The engine: takes events, emits actions, does no input or output and reads no clock. */
@NullMarked
package org.jbmi.zbmi.engine;

import org.jspecify.annotations.NullMarked;
