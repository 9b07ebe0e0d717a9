/** Links between client processes and the engine. */
@NullMarked
package org.jbmi.zbmi.link;

import org.jspecify.annotations.NullMarked;
