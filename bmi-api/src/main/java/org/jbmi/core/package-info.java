/**
 * The top of the core behind the API: the instance, its contexts and its methods. Makes the parts
 * in the packages below and hands each what it needs. Not exported.
 */
@NullMarked
package org.jbmi.core;

import org.jspecify.annotations.NullMarked;
