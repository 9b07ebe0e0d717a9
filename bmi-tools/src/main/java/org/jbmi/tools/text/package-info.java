/** Numbers, tables and JSON for print-outs. */
@NullMarked
package org.jbmi.tools.text;

import org.jspecify.annotations.NullMarked;
