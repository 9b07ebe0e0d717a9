/** The plug-in {@code test}: each kind of argument, and each way in which it travels. */
@NullMarked
package org.jbmi.zoid.plugins.test;

import org.jspecify.annotations.NullMarked;
