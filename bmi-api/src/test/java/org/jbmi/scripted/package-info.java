/** A method whose every answer a test decides. */
@NullMarked
package org.jbmi.scripted;

import org.jspecify.annotations.NullMarked;
