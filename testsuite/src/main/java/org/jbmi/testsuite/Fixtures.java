package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The fixtures on the class path. */
public final class Fixtures {
    private Fixtures() {}

    /** {@return all that can be found, by name and configuration} */
    public static List<MethodFixture> all() {
        List<MethodFixture> all = new ArrayList<>();
        ServiceLoader.load(MethodFixture.class).forEach(all::add);
        all.sort(
                Comparator.comparing(MethodFixture::name)
                        .thenComparing(MethodFixture::configuration));
        return all;
    }

    /**
     * The one of a method and a configuration.
     *
     * @param fullName what its {@link MethodFixture#fullName} says
     * @return null if there is none
     */
    public static @Nullable MethodFixture find(String fullName) {
        for (MethodFixture fixture : all()) {
            if (fixture.fullName().equals(fullName)) {
                return fixture;
            }
        }
        return null;
    }
}
