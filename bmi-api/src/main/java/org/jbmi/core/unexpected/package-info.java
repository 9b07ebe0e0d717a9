/**
 * Unexpected messages: their queues, the callers that wait for them, the listeners. Not exported.
 */
@NullMarked
package org.jbmi.core.unexpected;

import org.jspecify.annotations.NullMarked;
