package org.jbmi.zoid.processor.plugin;

import com.palantir.javapoet.JavaFile;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * The annotation processor for {@code @ZoidPlugin} interfaces: for an interface {@code Unix} it
 * writes the classes {@code UnixClient} and {@code UnixDispatcher} into the same package. A wrong
 * hint is an error of the compilation, at its parameter.
 */
public final class PluginProcessor extends AbstractProcessor {
    /** Made by the compiler. */
    public PluginProcessor() {}

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of(PluginReader.PLUGIN);
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

    private void write(TypeElement type) {
        PluginReader reader =
                new PluginReader(processingEnv.getTypeUtils(), processingEnv.getElementUtils());
        Plugin plugin = reader.read(type);
        if (plugin == null) {
            // The compiler shows one error at a place.
            Map<Element, String> byPlace = new LinkedHashMap<>();
            for (PluginReader.Fault fault : reader.faults()) {
                byPlace.merge(fault.place(), fault.sentence(), (one, two) -> one + " " + two);
            }
            byPlace.forEach((place, sentences) -> report(sentences, place));
            return;
        }
        try {
            for (JavaFile file :
                    List.of(new ClientWriter(plugin).file(), new DispatcherWriter(plugin).file())) {
                file.writeTo(processingEnv.getFiler());
            }
        } catch (IOException e) {
            report("The stubs of " + type + " cannot be written: " + e.getMessage(), type);
        }
    }

    private void report(String message, Element place) {
        processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, message, place);
    }
}
