/** The meaning of the hints of a forwarded function, from a C header or from Java. */
@NullMarked
package org.jbmi.zoid.processor.model;

import org.jspecify.annotations.NullMarked;
