/** The jars as a user's project sees them, on the class path and on the module path. */
@NullMarked
package org.jbmi.consumer;

import org.jspecify.annotations.NullMarked;
