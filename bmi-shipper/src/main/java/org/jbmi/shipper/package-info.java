/**
 * The function shipper: typed calls, and bulk transfers out of and into exposed memory, over any
 * method of BMI.
 */
@NullMarked
package org.jbmi.shipper;

import org.jspecify.annotations.NullMarked;
