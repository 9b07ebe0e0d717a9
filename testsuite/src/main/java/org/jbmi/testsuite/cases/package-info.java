/** The door to the cases; each room below has one class for each part of a group. */
@NullMarked
package org.jbmi.testsuite.cases;

import org.jspecify.annotations.NullMarked;
