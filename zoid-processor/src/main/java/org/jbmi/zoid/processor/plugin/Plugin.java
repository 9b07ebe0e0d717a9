package org.jbmi.zoid.processor.plugin;

import java.util.List;

import javax.lang.model.element.TypeElement;

/**
 * A plug-in whose rules have been checked.
 *
 * @param type its interface
 * @param id its number
 * @param name its name
 * @param functions its functions, in order
 */
record Plugin(TypeElement type, int id, String name, List<Function> functions) {}
