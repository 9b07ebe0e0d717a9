/**
 * What can travel in a call, as shapes: one model for every format that is generated from types. It
 * knows neither a compiler nor a wire.
 */
@NullMarked
package org.jbmi.shipper.processor.model;

import org.jspecify.annotations.NullMarked;
