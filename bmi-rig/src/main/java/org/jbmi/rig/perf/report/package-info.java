/** Reports and plots of a measurement. */
@NullMarked
package org.jbmi.rig.perf.report;

import org.jspecify.annotations.NullMarked;
