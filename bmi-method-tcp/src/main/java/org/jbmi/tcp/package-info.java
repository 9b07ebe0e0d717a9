/**
 * The tcp method: between hosts, and on the wire indistinguishable from the C library, so that C
 * programs are peers like any other.
 */
@NullMarked
package org.jbmi.tcp;

import org.jspecify.annotations.NullMarked;
