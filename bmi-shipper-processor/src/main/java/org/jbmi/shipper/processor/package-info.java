/** Reads records, checks them, and writes their codecs. */
@NullMarked
package org.jbmi.shipper.processor;

import org.jspecify.annotations.NullMarked;
