/** What a measurement prints and draws. */
@NullMarked
package org.jbmi.tools.perf.report;

import org.jspecify.annotations.NullMarked;
