package org.jbmi.conformance.properties;

import org.jbmi.conformance.LoopbackFixture;
import org.jbmi.testsuite.MethodFixture;

class LoopbackPropertiesTest extends MethodProperties {
    @Override
    MethodFixture fixture() {
        return new LoopbackFixture();
    }
}
