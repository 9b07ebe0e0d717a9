package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import org.jbmi.architecture.guilty.NobodyCalls;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What only tests call is not in a product: each method of a product is called by a class that is
 * shipped, unless it is part of what users see.
 */
class CallersTest {
    /** The products that keep to it. */
    private static final Set<House> PRODUCTS =
            Set.of(
                    House.API,
                    House.MEMPOOL,
                    House.LOOPBACK,
                    House.TCP,
                    House.PROTOCOL,
                    House.LINK,
                    House.ENGINE,
                    House.HOST,
                    House.ZOID,
                    House.SHIPPER);

    /** Packages whose public methods are for users, or for what is generated for them. */
    private static final Set<String> FOR_USERS =
            Set.of(
                    "org.jbmi",
                    "org.jbmi.config",
                    "org.jbmi.observe",
                    "org.jbmi.spi",
                    "org.jbmi.mempool",
                    "org.jbmi.mempool.pool",
                    "org.jbmi.loopback",
                    "org.jbmi.tcp",
                    "org.jbmi.tcp.wire",
                    "org.jbmi.zoid",
                    "org.jbmi.shipper",
                    "org.jbmi.shipper.codec",
                    "org.jbmi.zbmi.host.journal");

    /** Methods that only tests call yet, by name, so that they can become fewer and not more. */
    private static final Set<String> EXCUSED =
            Set.of(
                    "org.jbmi.mempool.os.MessageQueues.messageBytes",
                    "org.jbmi.shipper.ShipperBuilder.clock",
                    "org.jbmi.shipper.server.ServerTransfer.session",
                    "org.jbmi.zbmi.host.mq.MqCommandChannel.replyQueues",
                    "org.jbmi.zbmi.engine.Engine.liveUnexpectedBlocks",
                    "org.jbmi.zbmi.protocol.ClientEvents.pushed",
                    "org.jbmi.zbmi.protocol.SegmentGeometry.totalBytes",
                    "org.jbmi.zoid.common.Seams.production",
                    "org.jbmi.zoid.server.NoMemoryQueue.size");

    @Test
    void everyMethodOfAProductHasACallerThatIsShipped() {
        List<String> found = withoutCallers(House.allClasses());
        found.removeAll(EXCUSED);
        assertThat(found).isEmpty();
    }

    @Test
    void everyExcuseIsNeeded() {
        assertThat(withoutCallers(House.allClasses())).containsAll(EXCUSED);
    }

    @Test
    void methodWithoutCallerIsSeen() {
        JavaClasses guilty = new ClassFileImporter().importClasses(NobodyCalls.class);
        List<String> found = new ArrayList<>();
        collect(guilty.get(NobodyCalls.class), found);
        assertThat(found)
                .containsExactly(
                        NobodyCalls.class.getName() + ".itself",
                        NobodyCalls.class.getName() + ".unused");
    }

    private static List<String> withoutCallers(JavaClasses classes) {
        List<String> found = new ArrayList<>();
        for (JavaClass type : classes) {
            if (PRODUCTS.contains(House.of(type))) {
                collect(type, found);
            }
        }
        return found;
    }

    private static void collect(JavaClass type, List<String> found) {
        boolean isForUsers = FOR_USERS.contains(type.getPackageName());
        Set<String> names = new TreeSet<>();
        for (JavaMethod method : type.getMethods()) {
            boolean isPublic =
                    method.getModifiers().contains(JavaModifier.PUBLIC)
                            || method.getModifiers().contains(JavaModifier.PROTECTED);
            if (!(isForUsers && isPublic) && isOfSource(method) && !hasCaller(method)) {
                names.add(type.getName() + "." + method.getName());
            }
        }
        found.addAll(names);
    }

    /** Written in a source, and called by nothing that an import does not show. */
    private static boolean isOfSource(JavaMethod method) {
        JavaClass type = method.getOwner();
        boolean isMade =
                method.getModifiers().contains(JavaModifier.SYNTHETIC)
                        || method.getName().contains("$")
                        || (type.isEnum() && Set.of("values", "valueOf").contains(method.getName()))
                        || (type.isRecord() && isAccessor(method));
        boolean isMain = method.getName().equals("main");
        return !isMade && !isMain && method.getAnnotations().isEmpty() && !overrides(method);
    }

    private static boolean isAccessor(JavaMethod method) {
        return method.getRawParameterTypes().isEmpty()
                && method.getOwner().tryGetField(method.getName()).isPresent();
    }

    // What a class below implements by inheriting it overrides, too.
    private static boolean overrides(JavaMethod method) {
        JavaClass owner = method.getOwner();
        return Stream.concat(Stream.of(owner), owner.getAllSubclasses().stream())
                        .flatMap(CallersTest::supertypes)
                        .filter(
                                above ->
                                        !above.equals(owner)
                                                && !owner.isAssignableTo(above.getName()))
                        .anyMatch(above -> above.isInterface() && declares(above, method))
                || supertypes(owner).anyMatch(above -> declares(above, method));
    }

    private static Stream<JavaClass> supertypes(JavaClass type) {
        return Stream.concat(
                type.getAllRawSuperclasses().stream(), type.getAllRawInterfaces().stream());
    }

    // By name and number of parameters, since what a generic type declares has other types.
    private static boolean declares(JavaClass type, JavaMethod method) {
        if (House.isOurs(type)) {
            return type.getMethods().stream().anyMatch(other -> isAlike(other, method));
        }
        Class<?> foreign = type.reflect(); // of which nothing is imported, its supertypes neither
        return Stream.concat(
                        Stream.of(foreign.getMethods()), Stream.of(foreign.getDeclaredMethods()))
                .anyMatch(
                        other ->
                                other.getName().equals(method.getName())
                                        && other.getParameterCount()
                                                == method.getRawParameterTypes().size());
    }

    private static boolean isAlike(JavaMethod other, JavaMethod method) {
        return other.getName().equals(method.getName())
                && other.getRawParameterTypes().size() == method.getRawParameterTypes().size();
    }

    private static boolean hasCaller(JavaMethod method) {
        return isCalled(method)
                || method.getOwner().getAllSubclasses().stream()
                        .flatMap(below -> below.getMethods().stream())
                        .anyMatch(other -> isAlike(other, method) && isCalled(other));
    }

    private static boolean isCalled(JavaMethod method) {
        return method.getAccessesToSelf().stream()
                        .anyMatch(access -> isOther(access.getOrigin(), method))
                || method.getReferencesToSelf().stream()
                        .anyMatch(access -> isOther(access.getOrigin(), method));
    }

    private static boolean isOther(JavaCodeUnit caller, JavaMethod method) {
        return !caller.equals(method);
    }
}
