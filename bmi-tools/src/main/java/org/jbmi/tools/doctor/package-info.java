/** {@code bmi doctor}: checks this machine and a runtime directory. */
@NullMarked
package org.jbmi.tools.doctor;

import org.jspecify.annotations.NullMarked;
