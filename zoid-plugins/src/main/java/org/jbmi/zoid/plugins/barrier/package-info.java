/** The plug-in {@code barrier}: processes of a job wait for each other. */
@NullMarked
package org.jbmi.zoid.plugins.barrier;

import org.jspecify.annotations.NullMarked;
