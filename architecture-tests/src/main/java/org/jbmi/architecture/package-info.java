/**
 * What holds for all modules at once: who may use whom, no static mutable state, native access in
 * one place, no class too long, services declared in both ways, a complete bill of materials.
 *
 * <p>The tests are in a module of their own because no other depends on all the rest. Each rule is
 * also run on a class in {@code org.jbmi.architecture.guilty} that breaks it, and must find it.
 */
@NullMarked
package org.jbmi.architecture;

import org.jspecify.annotations.NullMarked;
