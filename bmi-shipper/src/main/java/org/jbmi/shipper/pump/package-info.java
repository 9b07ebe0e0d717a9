/**
 * Posts, their outcomes, and the thread that makes progress; knows nothing of calls. Not exported.
 */
@NullMarked
package org.jbmi.shipper.pump;

import org.jspecify.annotations.NullMarked;
