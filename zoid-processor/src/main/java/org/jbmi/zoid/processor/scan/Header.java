package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The content of a header.
 *
 * @param start its start line, or null if it has none
 * @param types the types that are declared above it
 * @param functions the prototypes below it
 */
record Header(@Nullable StartLine start, CTypes types, List<CFunction> functions) {}
