/**
 * What measures and checks the library, as commands: for those who work on it, or on a method of
 * their own. Nothing that moves messages for a user is here.
 */
@NullMarked
package org.jbmi.rig;

import org.jspecify.annotations.NullMarked;
