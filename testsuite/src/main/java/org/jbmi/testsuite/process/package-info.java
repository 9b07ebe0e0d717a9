/** The peer processes of the kit. */
@NullMarked
package org.jbmi.testsuite.process;

import org.jspecify.annotations.NullMarked;
