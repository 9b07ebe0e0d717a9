/** What a method (a transport) implements to plug into the interface. */
@NullMarked
package org.jbmi.spi;

import org.jspecify.annotations.NullMarked;
