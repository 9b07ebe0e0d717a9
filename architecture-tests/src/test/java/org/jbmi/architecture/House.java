package org.jbmi.architecture;

import static java.util.stream.Collectors.toUnmodifiableMap;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;

import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The modules of the project, and which of them each may use. */
enum House {
    API("bmi-api", "org.jbmi.api", "org.jbmi", Set.of()),
    MEMPOOL("mempool", "org.jbmi.mempool", "org.jbmi.mempool", Set.of()),
    TESTSUITE("testsuite", "org.jbmi.testsuite", "org.jbmi.testsuite", Set.of(API)),
    LOOPBACK("bmi-method-loopback", "org.jbmi.loopback", "org.jbmi.loopback", Set.of(API, MEMPOOL)),
    TCP("bmi-method-tcp", "org.jbmi.tcp", "org.jbmi.tcp", Set.of(API, MEMPOOL)),
    PROTOCOL(
            "zbmi-protocol",
            "org.jbmi.zbmi.protocol",
            "org.jbmi.zbmi.protocol",
            Set.of(API, MEMPOOL)),
    LINK(
            "zbmi-link",
            "org.jbmi.zbmi.link",
            List.of(
                    "org.jbmi.zbmi.attach",
                    "org.jbmi.zbmi.link",
                    "org.jbmi.zbmi.channel",
                    "org.jbmi.zbmi.socket"),
            Set.of(API, MEMPOOL, PROTOCOL)),
    ENGINE("zbmi-engine", "org.jbmi.zbmi.engine", "org.jbmi.zbmi.engine", Set.of(API, PROTOCOL)),
    HOST(
            "zbmi-host",
            "org.jbmi.zbmi.host",
            "org.jbmi.zbmi.host",
            Set.of(API, MEMPOOL, PROTOCOL, LINK, ENGINE)),
    SERVER(
            "zbmi-server",
            "org.jbmi.zbmi.server",
            "org.jbmi.zbmi.daemon",
            Set.of(API, MEMPOOL, PROTOCOL, LINK, ENGINE, HOST)),
    ZOID("bmi-method-zoid", "org.jbmi.zoid", "org.jbmi.zoid", Set.of(API, MEMPOOL, PROTOCOL, LINK)),
    CHRONICLE(
            "zbmi-channel-chronicle",
            "org.jbmi.zbmi.channel.chronicle",
            "org.jbmi.zbmi.channel.chronicle",
            Set.of(API, MEMPOOL, PROTOCOL, LINK, HOST)),
    CONFORMANCE(
            "conformance",
            "org.jbmi.conformance",
            "org.jbmi.conformance",
            Set.of(API, TESTSUITE, LOOPBACK, TCP, SERVER, ZOID)),
    SHIPPER_PROCESSOR(
            "bmi-shipper-processor",
            "org.jbmi.shipper.processor",
            "org.jbmi.shipper.processor",
            Set.of()),
    SHIPPER("bmi-shipper", "org.jbmi.shipper", "org.jbmi.shipper", Set.of(API)),
    SIMULATOR(
            "simulator",
            null,
            "org.jbmi.simulator",
            Set.of(API, MEMPOOL, PROTOCOL, LINK, ENGINE, HOST, CHRONICLE, SERVER, ZOID)),
    ZOID_API("zoid-api", "org.jbmi.zoid.forward", "org.jbmi.zoid.forward", Set.of(API, SHIPPER)),
    ZOID_PROCESSOR(
            "zoid-processor",
            "org.jbmi.zoid.processor",
            "org.jbmi.zoid.processor",
            Set.of(SHIPPER_PROCESSOR)),
    ZOID_DAEMON(
            "zoid-daemon",
            "org.jbmi.zoid.daemon",
            "org.jbmi.zoid.daemon",
            Set.of(API, SHIPPER, ZOID_API)),
    ZOIDFS("zoidfs", "org.jbmi.zoidfs", "org.jbmi.zoidfs", Set.of(API)),
    ZOID_PLUGINS(
            "zoid-plugins",
            "org.jbmi.zoid.plugins",
            "org.jbmi.zoid.plugins",
            Set.of(API, SHIPPER, ZOID_API, ZOIDFS)),
    ZOIDFS_SERVER(
            "zoidfs-server",
            "org.jbmi.zoidfs.server",
            "org.jbmi.zoidfs.server",
            Set.of(API, ZOIDFS)),
    ZOIDFS_FUSE("zoidfs-fuse", "org.jbmi.zoidfs.fuse", "org.jbmi.zoidfs.fuse", Set.of(API, ZOIDFS)),
    TOOLS(
            "bmi-tools",
            "org.jbmi.tools",
            "org.jbmi.tools",
            Set.of(
                    API,
                    MEMPOOL,
                    TCP,
                    PROTOCOL,
                    LINK,
                    ENGINE,
                    HOST,
                    SERVER,
                    SHIPPER,
                    ZOID_API,
                    ZOID_PROCESSOR,
                    ZOID_DAEMON,
                    ZOIDFS,
                    ZOIDFS_SERVER,
                    ZOIDFS_FUSE)),
    RIG(
            "bmi-rig",
            null,
            "org.jbmi.rig",
            Set.of(
                    API,
                    TESTSUITE,
                    LOOPBACK,
                    TCP,
                    LINK,
                    HOST,
                    SERVER,
                    CONFORMANCE,
                    SIMULATOR,
                    SHIPPER,
                    ZOID_API,
                    ZOID_DAEMON,
                    ZOID_PLUGINS,
                    ZOIDFS,
                    TOOLS)),
    DEMO(
            "bmi-demo",
            "org.jbmi.demo",
            "org.jbmi.demo",
            Set.of(API, LOOPBACK, LINK, HOST, SERVER, ZOID, ZOIDFS, ZOIDFS_SERVER, TOOLS)),
    BENCHMARKS(
            "bmi-benchmarks",
            null,
            "org.jbmi.benchmarks",
            Set.of(API, MEMPOOL, TESTSUITE, LOOPBACK, TCP, SERVER, ZOID, RIG));

    private static final String JMH_HARNESS = "/jmh_generated/";

    private final String folder;
    private final String moduleName;
    private final List<String> rootPackages;
    private final Set<House> mayUse;

    House(String folder, String moduleName, String rootPackage, Set<House> mayUse) {
        this(folder, moduleName, List.of(rootPackage), mayUse);
    }

    House(String folder, String moduleName, List<String> rootPackages, Set<House> mayUse) {
        this.folder = folder;
        this.moduleName = moduleName;
        this.rootPackages = rootPackages;
        this.mayUse = mayUse;
    }

    /** Its folder in the project, which is also the name of its artifact. */
    String folder() {
        return folder;
    }

    /** The name in its module descriptor, or null where it has none. */
    String moduleName() {
        return moduleName;
    }

    Set<House> mayUse() {
        return mayUse;
    }

    /** Where its classes are on the class path: a jar, or a folder when Maven has built no jar. */
    Path classes() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> entry.getParent() != null)
                .filter(entry -> entry.getParent().endsWith(Path.of(folder, "target")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(folder + " is not on the class path"));
    }

    /** The module that a package belongs to: the one with the longest root package above it. */
    static House of(JavaClass type) {
        House found = null;
        int longest = 0;
        for (House module : values()) {
            for (String root : module.rootPackages) {
                boolean inside = (type.getPackageName() + ".").startsWith(root + ".");
                if (inside && root.length() > longest) {
                    found = module;
                    longest = root.length();
                }
            }
        }
        if (found == null) {
            throw new AssertionError(type.getName() + " belongs to no module");
        }
        return found;
    }

    /** Whether a class is one of the project's, test classes aside. */
    static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals("org.jbmi")
                || type.getPackageName().startsWith("org.jbmi.");
    }

    /** All classes of all modules as they are shipped, without their tests. */
    static JavaClasses allClasses() {
        return Shipped.CLASSES;
    }

    /** The folder of the project: Maven runs the tests of a module in the module's folder. */
    static Path projectFolder() {
        return Path.of("").toAbsolutePath().getParent();
    }

    static Map<String, House> byModuleName() {
        return Stream.of(values())
                .filter(module -> module.moduleName != null)
                .collect(toUnmodifiableMap(House::moduleName, module -> module));
    }

    private static Location location(Path classes) {
        return Files.isDirectory(classes)
                ? Location.of(classes)
                : Location.of(URI.create("jar:" + classes.toUri() + "!/"));
    }

    /** Read once, at first use. */
    private static final class Shipped {
        static final JavaClasses CLASSES =
                new ClassFileImporter()
                        .withImportOption(location -> !location.contains(JMH_HARNESS))
                        .importLocations(
                                Stream.of(House.values())
                                        .map(module -> location(module.classes()))
                                        .toList());
    }
}
