@NullMarked
package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.NullMarked;
