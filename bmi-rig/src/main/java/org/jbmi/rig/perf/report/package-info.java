/** What a measurement prints and draws. */
@NullMarked
package org.jbmi.rig.perf.report;

import org.jspecify.annotations.NullMarked;
