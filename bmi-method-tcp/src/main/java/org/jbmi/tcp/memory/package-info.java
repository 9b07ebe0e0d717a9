/** Memory that programs allocate, and memory that peers fill. */
@NullMarked
package org.jbmi.tcp.memory;

import org.jspecify.annotations.NullMarked;
