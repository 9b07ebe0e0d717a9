/** The command channel through POSIX message queues. */
@NullMarked
package org.jbmi.zbmi.host.mq;

import org.jspecify.annotations.NullMarked;
