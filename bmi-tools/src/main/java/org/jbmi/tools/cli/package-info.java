/**
 * What all programs and commands share: how they are run, how they fail, what they print of
 * themselves.
 */
@NullMarked
package org.jbmi.tools.cli;

import org.jspecify.annotations.NullMarked;
