/** A tiny method of one's own, its fixture, and a twin with a fault. */
@NullMarked
package org.jbmi.testsuite.example;

import org.jspecify.annotations.NullMarked;
