package org.jbmi.testsuite.example;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.jspecify.annotations.Nullable;

/** The example of docs/howto/write-a-method.md passes. */
class NoteConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new NoteFixture();
    }

    /** In a quick run all but test calls, waits and threads, which are the core's business. */
    @Override
    protected @Nullable String groups() {
        return Boolean.getBoolean("jbmi.long") ? null : "ABCDEFGHILMNOPR";
    }
}
