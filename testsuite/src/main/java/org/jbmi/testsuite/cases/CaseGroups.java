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
        BrokerCases.addTo(
                new CaseList('A', cases), new CaseList('E', cases), new CaseList('R', cases));
        ImmediateCases.addTo(
                new CaseList('J', cases),
                new CaseList('K', cases),
                new CaseList('L', cases),
                new CaseList('N', cases));
        NoMemoryCases.addTo(
                new CaseList('L', cases), new CaseList('O', cases), new CaseList('P', cases));
        ServerCases.addTo(new CaseList('O', cases), new CaseList('Q', cases));
        ProgressCases.addTo(new CaseList('K', cases), new CaseList('Q', cases));
        OutcomeCases.addTo(
                new CaseList('B', cases),
                new CaseList('K', cases),
                new CaseList('N', cases),
                new CaseList('R', cases));
        DeathCases.addTo(new CaseList('R', cases));
        SeveralMethodsCases.addTo(new CaseList('J', cases));
        ConnectionCases.addTo(
                new CaseList('B', cases),
                new CaseList('H', cases),
                new CaseList('I', cases),
                new CaseList('O', cases),
                new CaseList('R', cases),
                new CaseList('S', cases));
    }
}
