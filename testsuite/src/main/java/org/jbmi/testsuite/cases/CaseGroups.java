package org.jbmi.testsuite.cases;

import org.jbmi.testsuite.ConformanceCase;
import org.jbmi.testsuite.cases.call.CancelCases;
import org.jbmi.testsuite.cases.call.ContextCases;
import org.jbmi.testsuite.cases.call.ImmediateCases;
import org.jbmi.testsuite.cases.call.OpenCloseCases;
import org.jbmi.testsuite.cases.call.OptionCases;
import org.jbmi.testsuite.cases.call.OutcomeCases;
import org.jbmi.testsuite.cases.call.ProgressCases;
import org.jbmi.testsuite.cases.call.ServerCases;
import org.jbmi.testsuite.cases.call.SeveralMethodsCases;
import org.jbmi.testsuite.cases.call.TestingCases;
import org.jbmi.testsuite.cases.call.ThreadCases;
import org.jbmi.testsuite.cases.call.WaitingCases;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.message.BufferCases;
import org.jbmi.testsuite.cases.message.ExhaustionCases;
import org.jbmi.testsuite.cases.message.ExpectedCases;
import org.jbmi.testsuite.cases.message.ListCases;
import org.jbmi.testsuite.cases.message.MemoryCases;
import org.jbmi.testsuite.cases.message.NoMemoryCases;
import org.jbmi.testsuite.cases.message.OrderCases;
import org.jbmi.testsuite.cases.message.UnexpectedCases;
import org.jbmi.testsuite.cases.message.UnexpectedMemoryCases;
import org.jbmi.testsuite.cases.peer.AddressCases;
import org.jbmi.testsuite.cases.peer.BrokerCases;
import org.jbmi.testsuite.cases.peer.ConnectionCases;
import org.jbmi.testsuite.cases.peer.DeathCases;

import java.util.List;

/** The door to the groups. */
public final class CaseGroups {
    private CaseGroups() {}

    /** Adds all cases. */
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
