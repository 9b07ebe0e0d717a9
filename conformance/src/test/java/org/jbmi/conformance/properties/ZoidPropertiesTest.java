package org.jbmi.conformance.properties;

import org.jbmi.conformance.ZoidDaemonFixture;
import org.jbmi.testsuite.MethodFixture;

class ZoidPropertiesTest extends MethodProperties {
    @Override
    MethodFixture fixture() {
        return new ZoidDaemonFixture();
    }
}
