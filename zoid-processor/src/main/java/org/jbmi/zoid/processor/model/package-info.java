/** What the hints of a forwarded function mean, whoever has written them: a C header or Java. */
@NullMarked
package org.jbmi.zoid.processor.model;

import org.jspecify.annotations.NullMarked;
