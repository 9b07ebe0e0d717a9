/** The scanner: a C header with ZOID's hints becomes an annotated Java interface. */
@NullMarked
package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.NullMarked;
