/** The command channel through POSIX message queues. */
@NullMarked
package org.jbmi.zbmi.channel.mq;

import org.jspecify.annotations.NullMarked;
