/**
 * The instance, its contexts and its methods; makes the parts in the packages below. Not exported.
 */
@NullMarked
package org.jbmi.core;

import org.jspecify.annotations.NullMarked;
