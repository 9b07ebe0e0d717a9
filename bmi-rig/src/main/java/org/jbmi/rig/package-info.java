/**
 * Commands that measure and check the library, for people who work on it or on a method of their
 * own. Nothing here moves messages for a user.
 */
@NullMarked
package org.jbmi.rig;

import org.jspecify.annotations.NullMarked;
