/**
 * The rules of zoid and nothing else: it knows messages, and neither who brings them nor where the
 * memory is that they speak of.
 */
module org.jbmi.zbmi.engine {
    requires static transitive org.jspecify;
    requires org.jbmi.api;
    requires transitive org.jbmi.zbmi.protocol;

    exports org.jbmi.zbmi.engine;
    exports org.jbmi.zbmi.engine.port;
}
