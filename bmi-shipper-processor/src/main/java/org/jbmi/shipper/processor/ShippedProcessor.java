package org.jbmi.shipper.processor;

import com.palantir.javapoet.JavaFile;

import org.jbmi.shipper.processor.model.Shape;

import java.io.IOException;
import java.util.Set;

import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * The annotation processor for {@code @Shipped} records: for a record {@code WriteIn} it writes a
 * class {@code WriteInCodec} into the same package. A component that cannot travel is an error of
 * the compilation, at that component.
 */
public final class ShippedProcessor extends AbstractProcessor {
    /** Made by the compiler. */
    public ShippedProcessor() {}

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(ShapeReader.SHIPPED);
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (TypeElement annotation : annotations) {
            for (Element element : round.getElementsAnnotatedWith(annotation)) {
                write((TypeElement) element);
            }
        }
        return false;
    }

    private void write(TypeElement record) {
        try {
            Shape.Struct shape = new ShapeReader().read(record);
            JavaFile file = new CodecWriter(processingEnv.getElementUtils(), record, shape).write();
            file.writeTo(processingEnv.getFiler());
        } catch (ShapeException e) {
            report(e.reason(), e.place());
        } catch (IOException e) {
            report("The codec of " + record + " cannot be written: " + e.getMessage(), record);
        }
    }

    private void report(String message, Element place) {
        processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, message, place);
    }
}
