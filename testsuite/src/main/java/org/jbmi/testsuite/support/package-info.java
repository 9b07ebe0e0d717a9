/** What tests of methods and of tools need beside the kit. */
@NullMarked
package org.jbmi.testsuite.support;

import org.jspecify.annotations.NullMarked;
