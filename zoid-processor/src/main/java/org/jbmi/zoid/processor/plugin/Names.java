package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;

import javax.lang.model.element.Modifier;

/** The names and types that stubs and dispatchers use alike. */
final class Names {
    private Names() {}

    static ClassName zoid() {
        return ClassName.get("org.jbmi.zoid.forward.client", "Zoid");
    }

    static ClassName lifecycle() {
        return ClassName.get("org.jbmi.zoid.forward", "PluginLifecycle");
    }

    static ClassName memory() {
        return ClassName.get("java.lang.foreign", "MemorySegment");
    }

    static ClassName stub(String name) {
        return ClassName.get("org.jbmi.zoid.forward.stub", name);
    }

    /** A class beside the interface: for {@code Outer.Unix} it is {@code Outer_UnixClient}. */
    static ClassName beside(Plugin plugin, String suffix) {
        ClassName type = ClassName.get(plugin.type());
        return ClassName.get(type.packageName(), String.join("_", type.simpleNames()) + suffix);
    }

    static JavaFile file(Plugin plugin, TypeSpec.Builder type) {
        if (plugin.type().getModifiers().contains(Modifier.PUBLIC)) {
            type.addModifiers(Modifier.PUBLIC);
        }
        return JavaFile.builder(
                        ClassName.get(plugin.type()).packageName(),
                        type.addOriginatingElement(plugin.type()).build())
                .skipJavaLangImports(true)
                .indent("    ")
                .build();
    }

    /** The method of the interface, to be given a body. Annotations stay with the interface. */
    static MethodSpec.Builder override(Function function) {
        MethodSpec.Builder method =
                MethodSpec.methodBuilder(function.name())
                        .addAnnotation(Override.class)
                        .addModifiers(Modifier.PUBLIC)
                        .returns(
                                TypeName.get(function.method().getReturnType())
                                        .withoutAnnotations());
        for (Argument argument : function.arguments()) {
            method.addParameter(ParameterSpec.builder(typeOf(argument), argument.name()).build());
        }
        return method;
    }

    static TypeName typeOf(Argument argument) {
        TypeName value = typeOf(argument.value());
        if (argument.isCell()) {
            return argument.value() instanceof Value.Primitive primitive
                    ? cell(primitive)
                    : ParameterizedTypeName.get(
                            ClassName.get("org.jbmi.zoid.forward", "Cell"), value);
        }
        return switch (argument.hints().shape()) {
            case OBJ, STR, PTR -> value;
            case ARR -> argument.value() instanceof Value.Memory ? value : ArrayTypeName.of(value);
            case ARR2D ->
                    argument.value() instanceof Value.Memory
                            ? ArrayTypeName.of(value)
                            : ArrayTypeName.of(ArrayTypeName.of(value));
        };
    }

    static ClassName cell(Value.Primitive primitive) {
        return ClassName.get("org.jbmi.zoid.forward", primitive.suffix() + "Cell");
    }

    static TypeName typeOf(Value value) {
        return switch (value) {
            case Value.Primitive primitive -> TypeName.get(primitive.type());
            case Value.Text _ -> ClassName.get(String.class);
            case Value.Struct struct -> struct.name();
            case Value.Memory _ -> memory();
        };
    }
}
