/** The plug-in {@code mapping}: places of ranks. */
@NullMarked
package org.jbmi.zoid.plugins.mapping;

import org.jspecify.annotations.NullMarked;
