package org.jbmi.shipper.processor;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;

import org.jbmi.shipper.processor.model.Scalar;
import org.jbmi.shipper.processor.model.Shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;

/** Writes the codec of one record as a source file. */
final class CodecWriter {
    private static final String CODECS = "org.jbmi.shipper.codec";
    private final ClassName codecType = ClassName.get(CODECS, "Codec");
    private final ClassName encoderType = ClassName.get(CODECS, "Encoder");
    private final ClassName decoderType = ClassName.get(CODECS, "Decoder");
    private final ClassName bulkHandleType = ClassName.get(CODECS, "BulkHandle");
    private final ClassName generatedType =
            ClassName.get("javax.annotation.processing", "Generated");

    private static final Set<String> PARAMETERS = Set.of("in", "out", "value");

    private final Elements elements;
    private final TypeElement record;
    private final ClassName recordName;
    private final Shape.Struct shape;

    /** The constants of each enum that occurs, by its name. */
    private final Map<String, FieldSpec> choices = new LinkedHashMap<>();

    /** The names of local variables in the method that is written. */
    private final Set<String> locals = new HashSet<>();

    CodecWriter(Elements elements, TypeElement record, Shape.Struct shape) {
        this.elements = elements;
        this.record = record;
        this.recordName = ClassName.get(record);
        this.shape = shape;
    }

    JavaFile write() {
        ParameterizedTypeName codecOfRecord = ParameterizedTypeName.get(codecType, recordName);
        ClassName name = codecName(recordName);
        MethodSpec encode = encodeMethod();
        MethodSpec decode = decodeMethod();
        TypeSpec.Builder type =
                TypeSpec.classBuilder(name)
                        .addOriginatingElement(record)
                        .addJavadoc(
                                "Writes and reads {@link $T}: its components in their order, little"
                                        + " endian.\n",
                                recordName)
                        .addAnnotation(
                                AnnotationSpec.builder(generatedType)
                                        .addMember("value", "$S", ShippedProcessor.class.getName())
                                        .build())
                        .addModifiers(Modifier.FINAL)
                        .addSuperinterface(codecOfRecord)
                        .addField(
                                FieldSpec.builder(name, "INSTANCE")
                                        .addJavadoc("The one instance; it keeps no state.\n")
                                        .addModifiers(
                                                Modifier.PUBLIC, Modifier.STATIC, Modifier.FINAL)
                                        .initializer("new $T()", name)
                                        .build())
                        .addFields(choices.values())
                        .addMethod(
                                MethodSpec.constructorBuilder()
                                        .addModifiers(Modifier.PRIVATE)
                                        .build())
                        .addMethod(signatureMethod())
                        .addMethod(encode)
                        .addMethod(decode);
        if (isPublic()) {
            type.addModifiers(Modifier.PUBLIC);
        }
        return JavaFile.builder(name.packageName(), type.build())
                .skipJavaLangImports(true)
                .indent("    ")
                .build();
    }

    /** The codec of {@code Outer.Inner} is {@code Outer_InnerCodec}, in the same package. */
    static ClassName codecName(ClassName record) {
        return ClassName.get(
                record.packageName(), String.join("_", record.simpleNames()) + "Codec");
    }

    private boolean isPublic() {
        for (Element at = record; at instanceof TypeElement; at = at.getEnclosingElement()) {
            if (!at.getModifiers().contains(Modifier.PUBLIC)) {
                return false;
            }
        }
        return true;
    }

    private MethodSpec signatureMethod() {
        return MethodSpec.methodBuilder("signature")
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .returns(String.class)
                .addStatement("return $S", shape.signature())
                .build();
    }

    private MethodSpec encodeMethod() {
        beginMethod();
        CodeBlock.Builder code = CodeBlock.builder();
        for (Shape.Field field : shape.fields()) {
            CodeBlock value = CodeBlock.of("value.$N()", field.name());
            if (!(field.shape() instanceof Scalar)) {
                value =
                        CodeBlock.of(
                                "$T.requireNonNull($L, $S)",
                                Objects.class,
                                value,
                                "component " + field.name() + " of " + recordName.simpleName());
            }
            encode(code, field.shape(), value, field.name());
        }
        return MethodSpec.methodBuilder("encode")
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .addParameter(recordName, "value")
                .addParameter(encoderType, "out")
                .addCode(code.build())
                .build();
    }

    private void encode(CodeBlock.Builder code, Shape shape, CodeBlock value, String name) {
        switch (shape) {
            case Scalar scalar -> code.addStatement("out.put$L($L)", suffix(scalar), value);
            case Shape.Text _ -> code.addStatement("out.putString($L)", value);
            case Shape.Bytes _ -> code.addStatement("out.putBytes($L)", value);
            case Shape.Bulk _ -> code.addStatement("out.putHandle($L)", value);
            case Shape.Choice choice -> code.addStatement("out.putChoice($L.ordinal())", value);
            case Shape.Struct struct ->
                    code.addStatement(
                            "$T.INSTANCE.encode($L, out)",
                            codecName(className(struct.javaName())),
                            value);
            case Shape.Sequence sequence -> {
                String all = local(name);
                String each = local(name + "Element");
                code.addStatement("$T $N = $L", typeOf(sequence), all, value);
                code.addStatement("out.putCount($N.size())", all);
                code.beginControlFlow("for ($T $N : $N)", boxed(sequence.element()), each, all);
                encode(code, sequence.element(), CodeBlock.of("$N", each), name);
                code.endControlFlow();
            }
            case Shape.Maybe maybe -> {
                String all = local(name);
                code.addStatement("$T $N = $L", typeOf(maybe), all, value);
                code.addStatement("out.putBoolean($N.isPresent())", all);
                code.beginControlFlow("if ($N.isPresent())", all);
                encode(code, maybe.element(), CodeBlock.of("$N.get()", all), name);
                code.endControlFlow();
            }
        }
    }

    private MethodSpec decodeMethod() {
        beginMethod();
        CodeBlock.Builder code = CodeBlock.builder();
        List<CodeBlock> arguments = new ArrayList<>();
        for (Shape.Field field : shape.fields()) {
            String local = local(field.name());
            decode(code, field.shape(), local, field.name());
            arguments.add(CodeBlock.of("$N", local));
        }
        code.addStatement("return new $T($L)", recordName, CodeBlock.join(arguments, ", "));
        return MethodSpec.methodBuilder("decode")
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .returns(recordName)
                .addParameter(decoderType, "in")
                .addCode(code.build())
                .build();
    }

    /** Declares a local variable and fills it. */
    private void decode(CodeBlock.Builder code, Shape shape, String local, String name) {
        switch (shape) {
            case Shape.Sequence sequence -> {
                String count = local(name + "Count");
                String index = local("i");
                String each = local(name + "Element");
                code.addStatement("int $N = in.getCount($L)", count, sequence.element().minBytes());
                code.addStatement(
                        "$T $N = new $T<>($N)", typeOf(sequence), local, ArrayList.class, count);
                code.beginControlFlow(
                        "for (int $N = 0; $N < $N; $N++)", index, index, count, index);
                decode(code, sequence.element(), each, name);
                code.addStatement("$N.add($N)", local, each);
                code.endControlFlow();
                code.addStatement("$N = $T.unmodifiableList($N)", local, Collections.class, local);
            }
            case Shape.Maybe maybe -> {
                String inner = local(name + "Value");
                code.addStatement("$T $N = $T.empty()", typeOf(maybe), local, Optional.class);
                code.beginControlFlow("if (in.getBoolean())");
                decode(code, maybe.element(), inner, name);
                code.addStatement("$N = $T.of($N)", local, Optional.class, inner);
                code.endControlFlow();
            }
            case Scalar scalar ->
                    code.addStatement("$T $N = in.get$L()", typeOf(scalar), local, suffix(scalar));
            case Shape.Text _ -> code.addStatement("String $N = in.getString()", local);
            case Shape.Bytes _ -> code.addStatement("byte[] $N = in.getBytes()", local);
            case Shape.Bulk _ -> code.addStatement("$T $N = in.getHandle()", bulkHandleType, local);
            case Shape.Choice choice ->
                    code.addStatement(
                            "$T $N = $N.get(in.getChoice($N.size()))",
                            typeOf(choice),
                            local,
                            constants(choice),
                            constants(choice));
            case Shape.Struct struct ->
                    code.addStatement(
                            "$T $N = $T.INSTANCE.decode(in)",
                            typeOf(struct),
                            local,
                            codecName(className(struct.javaName())));
        }
    }

    private String constants(Shape.Choice choice) {
        FieldSpec known = choices.get(choice.javaName());
        if (known == null) {
            TypeName type = typeOf(choice);
            String name =
                    className(choice.javaName())
                                    .simpleName()
                                    .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                                    .toUpperCase(Locale.ROOT)
                            + "_"
                            + (choices.size() + 1);
            known =
                    FieldSpec.builder(
                                    ParameterizedTypeName.get(ClassName.get(List.class), type),
                                    name,
                                    Modifier.PRIVATE,
                                    Modifier.STATIC,
                                    Modifier.FINAL)
                            .initializer("$T.of($T.values())", List.class, type)
                            .build();
            choices.put(choice.javaName(), known);
        }
        return known.name();
    }

    /** A name that no other variable of the method has. */
    private String local(String wanted) {
        String name = wanted;
        for (int i = 2; !locals.add(name); i++) {
            name = wanted + i;
        }
        return name;
    }

    private void beginMethod() {
        locals.clear();
        locals.addAll(PARAMETERS);
    }

    private static String suffix(Scalar scalar) {
        String name = scalar.javaName();
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    private ClassName className(String javaName) {
        return ClassName.get(elements.getTypeElement(javaName));
    }

    private TypeName boxed(Shape shape) {
        return shape instanceof Scalar ? typeOf(shape).box() : typeOf(shape);
    }

    private TypeName typeOf(Shape shape) {
        return switch (shape) {
            case Scalar scalar ->
                    switch (scalar) {
                        case BOOLEAN -> TypeName.BOOLEAN;
                        case BYTE -> TypeName.BYTE;
                        case SHORT -> TypeName.SHORT;
                        case INT -> TypeName.INT;
                        case LONG -> TypeName.LONG;
                        case FLOAT -> TypeName.FLOAT;
                        case DOUBLE -> TypeName.DOUBLE;
                    };
            case Shape.Text _ -> ClassName.get(String.class);
            case Shape.Bytes _ -> ArrayTypeName.of(TypeName.BYTE);
            case Shape.Bulk _ -> bulkHandleType;
            case Shape.Choice choice -> className(choice.javaName());
            case Shape.Struct struct -> className(struct.javaName());
            case Shape.Sequence sequence ->
                    ParameterizedTypeName.get(ClassName.get(List.class), boxed(sequence.element()));
            case Shape.Maybe maybe ->
                    ParameterizedTypeName.get(
                            ClassName.get(Optional.class), boxed(maybe.element()));
        };
    }
}
