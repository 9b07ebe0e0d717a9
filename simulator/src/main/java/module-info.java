/** Runs zoid in one thread under a seeded schedule, with faults, and checks what is promised. */
module org.jbmi.simulator {
    requires static transitive org.jspecify;
    requires java.logging;
    requires org.jbmi.api;
    requires org.jbmi.mempool;
    requires org.jbmi.zbmi.channel.chronicle;
    requires org.jbmi.zbmi.engine;
    requires org.jbmi.zbmi.server;
    requires org.jbmi.zoid;

    exports org.jbmi.simulator;
    exports org.jbmi.simulator.coverage;
    exports org.jbmi.simulator.heap;
}
