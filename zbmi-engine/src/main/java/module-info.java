/**
 * The rules of zoid and nothing else. They use the types of messages. They do not know the
 * transport of messages, nor where the memory is.
 */
module org.jbmi.zbmi.engine {
    requires static transitive org.jspecify;
    requires org.jbmi.api;
    requires transitive org.jbmi.zbmi.protocol;

    exports org.jbmi.zbmi.engine;
    exports org.jbmi.zbmi.engine.port;
}
