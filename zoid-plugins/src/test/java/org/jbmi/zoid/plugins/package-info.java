/** The plug-ins behind a server, over each method. */
package org.jbmi.zoid.plugins;
