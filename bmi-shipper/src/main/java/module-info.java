/** The function shipper: typed calls and bulk transfer over any method of BMI. */
module org.jbmi.shipper {
    requires jdk.jfr;
    requires transitive org.jbmi.api;
    requires static transitive org.jspecify;

    exports org.jbmi.shipper;
    exports org.jbmi.shipper.codec;
}
