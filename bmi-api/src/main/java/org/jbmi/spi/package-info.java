/** The interfaces that a method (a transport) implements. */
@NullMarked
package org.jbmi.spi;

import org.jspecify.annotations.NullMarked;
