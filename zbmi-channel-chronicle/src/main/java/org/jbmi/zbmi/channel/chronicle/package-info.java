/** Chronicle Queue as a command channel, and as a store of journals. */
@NullMarked
package org.jbmi.zbmi.channel.chronicle;

import org.jspecify.annotations.NullMarked;
