/** The command line: bmi and zbmi. */
@NullMarked
package org.jbmi.tools;

import org.jspecify.annotations.NullMarked;
