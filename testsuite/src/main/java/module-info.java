/** The conformance kit: any method can run it in its own tests. */
module org.jbmi.testsuite {
    requires static transitive org.jspecify;
    requires com.fasterxml.jackson.core;
    requires transitive org.jbmi.api;
    requires java.management;
    requires jdk.management;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;

    exports org.jbmi.testsuite;
    exports org.jbmi.testsuite.fault;
    exports org.jbmi.testsuite.golden;
    exports org.jbmi.testsuite.json;
    exports org.jbmi.testsuite.model;
    exports org.jbmi.testsuite.support;

    uses org.jbmi.testsuite.MethodFixture;
}
