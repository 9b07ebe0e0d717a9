package org.jbmi.core.events;

import org.jbmi.PendingOperation;

import java.util.List;

/**
 * What a look at the operations of an instance found.
 *
 * @param oldest the oldest ones, the oldest first
 * @param total how many there were
 */
public record FoundOperations(List<PendingOperation> oldest, int total) {}
