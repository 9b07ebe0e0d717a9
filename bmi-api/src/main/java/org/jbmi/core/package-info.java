/**
 * The core behind the API: method registry, address table, operation table, contexts. Not exported.
 */
@NullMarked
package org.jbmi.core;

import org.jspecify.annotations.NullMarked;
