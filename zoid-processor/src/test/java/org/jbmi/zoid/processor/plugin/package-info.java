/** The annotation processor. */
package org.jbmi.zoid.processor.plugin;
