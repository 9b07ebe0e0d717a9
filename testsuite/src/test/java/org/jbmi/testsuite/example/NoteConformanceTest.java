package org.jbmi.testsuite.example;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The example of docs/howto/write-a-method.md passes. */
class NoteConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new NoteFixture();
    }
}
