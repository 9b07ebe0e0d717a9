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
        CaseList list = new CaseList(cases);
        OpenCloseCases.addTo(list);
        AddressCases.addTo(list);
        ContextCases.addTo(list);
        OptionCases.addTo(list);
        MemoryCases.addTo(list);
        ExpectedCases.addTo(list);
        BufferCases.addTo(list);
        ListCases.addTo(list);
        UnexpectedCases.addTo(list);
        UnexpectedMemoryCases.addTo(list);
        ExhaustionCases.addTo(list);
        TestingCases.addTo(list);
        WaitingCases.addTo(list);
        ThreadCases.addTo(list);
        OrderCases.addTo(list);
        CancelCases.addTo(list);
        BrokerCases.addTo(list);
        ImmediateCases.addTo(list);
        NoMemoryCases.addTo(list);
        ServerCases.addTo(list);
        ProgressCases.addTo(list);
        OutcomeCases.addTo(list);
        DeathCases.addTo(list);
        SeveralMethodsCases.addTo(list);
        ConnectionCases.addTo(list);
    }
}
