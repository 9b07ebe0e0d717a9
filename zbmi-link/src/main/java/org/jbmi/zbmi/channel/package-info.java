/** Command channels between the server process and the engine. */
@NullMarked
package org.jbmi.zbmi.channel;

import org.jspecify.annotations.NullMarked;
