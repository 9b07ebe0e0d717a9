/** {@code bmi doctor}: what is wrong with this machine and with a runtime directory. */
@NullMarked
package org.jbmi.tools.doctor;

import org.jspecify.annotations.NullMarked;
