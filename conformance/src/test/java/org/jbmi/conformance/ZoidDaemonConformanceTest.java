package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.jspecify.annotations.Nullable;

/** The conformance cases, through a daemon. */
class ZoidDaemonConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidDaemonFixture();
    }

    /** In a quick run those in which a daemon makes a difference to the default host. */
    @Override
    protected @Nullable String groups() {
        return Boolean.getBoolean("jbmi.long") ? null : "AELNOPR";
    }
}
