/** The common part of all programs and commands: start, failures, help and version. */
@NullMarked
package org.jbmi.tools.cli;

import org.jspecify.annotations.NullMarked;
