package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/** The BOM has no parent, so nothing else keeps it in step with the modules. */
class BillOfMaterialsTest {

    @Test
    void listsWhatIsPublished() throws Exception {
        List<String> published =
                Stream.of(House.values())
                        .filter(module -> module != House.BENCHMARKS)
                        .map(House::folder)
                        .toList();
        assertThat(texts(bom(), "dependency", "artifactId"))
                .containsExactlyInAnyOrderElementsOf(published);
        assertThat(texts(bom(), "dependency", "version")).containsOnly("${project.version}");
    }

    @Test
    void hasTheVersionOfTheProject() throws Exception {
        assertThat(texts(bom(), "project", "version").getFirst())
                .isEqualTo(texts(pom("pom.xml"), "project", "version").getFirst());
    }

    private static Document bom() throws Exception {
        return pom("bmi-bom/pom.xml");
    }

    private static Document pom(String path) throws Exception {
        Path file = House.projectFolder().resolve(path);
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    /** The text of each element of a name that is directly inside one of another name. */
    private static List<String> texts(Document document, String parent, String name) {
        List<String> texts = new ArrayList<>();
        NodeList nodes = document.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i).getParentNode() instanceof Element element
                    && element.getTagName().equals(parent)) {
                texts.add(nodes.item(i).getTextContent().strip());
            }
        }
        return texts;
    }
}
