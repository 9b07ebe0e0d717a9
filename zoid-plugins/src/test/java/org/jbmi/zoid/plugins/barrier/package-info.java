@org.jspecify.annotations.NullMarked
package org.jbmi.zoid.plugins.barrier;
