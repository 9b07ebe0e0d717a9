/**
 * The types that can be sent in a call, as shapes: one model for every format that is generated
 * from types. It depends neither on the compiler nor on a wire format.
 */
@NullMarked
package org.jbmi.shipper.processor.model;

import org.jspecify.annotations.NullMarked;
