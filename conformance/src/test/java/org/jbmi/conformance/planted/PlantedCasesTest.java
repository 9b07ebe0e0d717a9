package org.jbmi.conformance.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.conformance.planted.CaseFaults.Claim;
import org.jbmi.testsuite.CaseResult;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.fault.PlantingLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A case that claims a number or a counter must fail where a fault makes its claim wrong. */
@Timeout(360)
class PlantedCasesTest {
    private static final int MOST_RUNS = 3;

    static Stream<Claim> some() {
        return CaseFaults.some();
    }

    static Stream<Claim> all() {
        return CaseFaults.all();
    }

    @Test
    void eachCaseThatClaimsANumberHasAFault() throws IOException {
        SortedSet<Integer> claiming = CaseClaims.all();
        Set<Integer> planted = all().map(Claim::caseId).collect(Collectors.toSet());
        Set<Integer> excused = CaseFaults.excused().keySet();
        Set<Integer> bare = new HashSet<>(claiming);
        bare.removeAll(planted);
        bare.removeAll(excused);
        assertThat(bare)
                .as("claim a number or a counter, and no fault shows that they check it")
                .isEmpty();
        assertThat(excused)
                .as("excused though they claim nothing, or have a fault")
                .isSubsetOf(claiming)
                .doesNotContainAnyElementsOf(planted);
    }

    /** That the rule sees numbers in the document, and counters in the code. */
    @Test
    void claimsAreFoundInTheDocumentAndInTheCode() throws IOException {
        assertThat(CaseClaims.expectingNumbers()).contains(48, 58, 153, 212).doesNotContain(62, 80);
        assertThat(CaseClaims.readingCounters())
                .contains(24, 29, 92, 123, 128, 140, 156, 188, 197, 215)
                .doesNotContain(48, 62, 153);
    }

    @Test
    void aClassThatCannotBeLinkedIsNoFind() {
        LinkageError broken = new VerifyError("planted");
        CaseResult result =
                new CaseResult(
                        Catalogue.all().getFirst(),
                        CaseResult.Outcome.FAILED,
                        "a helper failed",
                        new IllegalStateException(broken));
        assertThatThrownBy(() -> PlantedCase.found(result)).isSameAs(broken);
    }

    /** A method that was renamed leaves a fault without a place, and nobody would look for it. */
    @ParameterizedTest
    @MethodSource("all")
    void eachHasItsPlace(Claim claim) {
        claim.fault().checkPlace(PlantedCasesTest.class.getClassLoader());
    }

    @ParameterizedTest
    @MethodSource("some")
    void theCaseFindsTheFault(Claim claim) throws Exception {
        hunt(claim);
    }

    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    @ParameterizedTest
    @MethodSource("all")
    void everyCaseFindsItsFault(Claim claim) throws Exception {
        hunt(claim);
        String sound = PlantedCase.run(claim.configuration(), claim.caseId());
        assertThat(sound).as("case " + claim.caseId() + " without a fault").isNull();
    }

    // A machine that is busy with other work can hide a fault, so the case has several tries.
    private static void hunt(Claim claim) throws Exception {
        @Nullable String found = null;
        for (int i = 0; i < MOST_RUNS && (found == null || !found.contains(claim.sign())); i++) {
            found = run(claim);
        }
        assertThat(found).as(claim.toString()).isNotNull().contains(claim.sign());
    }

    private static @Nullable String run(Claim claim) throws Exception {
        Thread here = Thread.currentThread();
        ClassLoader parent = here.getContextClassLoader();
        claim.fault().checkPlace(parent); // a case would also fail for a class that is not loaded
        ClassLoader loader = new PlantingLoader(claim.fault(), "org.jbmi.", parent);
        Class<?> type = loader.loadClass(PlantedCase.class.getName());
        long startNs = System.nanoTime();
        here.setContextClassLoader(loader); // by which methods are found
        String found;
        try {
            found =
                    (String)
                            type.getMethod("run", String.class, int.class)
                                    .invoke(null, claim.configuration(), claim.caseId());
        } finally {
            here.setContextClassLoader(parent);
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        System.out.printf("%-55s %5.1f s  %s%n", claim, seconds, found);
        return found;
    }
}
