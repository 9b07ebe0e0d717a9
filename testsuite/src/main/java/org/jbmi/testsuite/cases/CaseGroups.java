package org.jbmi.testsuite.cases;

import org.jbmi.testsuite.ConformanceCase;

import java.util.List;

/** The door to the groups. */
public final class CaseGroups {
    private CaseGroups() {}

    /**
     * Adds all cases.
     *
     * @param cases gets them
     */
    public static void addTo(List<ConformanceCase> cases) {
        OpenCloseCases.addTo(new CaseList('A', cases));
        AddressCases.addTo(new CaseList('B', cases));
        ContextCases.addTo(new CaseList('C', cases));
        OptionCases.addTo(new CaseList('D', cases));
        MemoryCases.addTo(new CaseList('E', cases));
        ExpectedCases.addTo(new CaseList('F', cases));
        BufferCases.addTo(new CaseList('F', cases));
        ListCases.addTo(new CaseList('G', cases));
        UnexpectedCases.addTo(new CaseList('H', cases));
        UnexpectedMemoryCases.addTo(new CaseList('H', cases));
        ExhaustionCases.addTo(new CaseList('I', cases));
        TestingCases.addTo(new CaseList('J', cases));
        WaitingCases.addTo(new CaseList('K', cases));
        ThreadCases.addTo(new CaseList('L', cases), new CaseList('Q', cases));
        OrderCases.addTo(new CaseList('M', cases));
        CancelCases.addTo(new CaseList('N', cases), new CaseList('O', cases));
    }
}
