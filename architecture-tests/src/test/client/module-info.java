/** A user's client: of the modules of zoid it has those that a client needs. */
module org.example.client {
    requires org.jbmi.api;
}
