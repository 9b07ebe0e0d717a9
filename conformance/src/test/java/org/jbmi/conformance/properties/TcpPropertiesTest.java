package org.jbmi.conformance.properties;

import org.jbmi.conformance.TcpStandaloneFixture;
import org.jbmi.testsuite.MethodFixture;

class TcpPropertiesTest extends MethodProperties {
    @Override
    MethodFixture fixture() {
        return new TcpStandaloneFixture();
    }
}
