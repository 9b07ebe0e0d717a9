/**
 * Commands that measure and check the library, for people who work on it or on a method of their
 * own. No program of a user needs them.
 */
@NullMarked
package org.jbmi.rig;

import org.jspecify.annotations.NullMarked;
