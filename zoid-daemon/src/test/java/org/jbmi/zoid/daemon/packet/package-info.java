@org.jspecify.annotations.NullMarked
package org.jbmi.zoid.daemon.packet;
