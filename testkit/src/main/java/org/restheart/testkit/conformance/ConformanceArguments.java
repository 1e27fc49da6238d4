package org.restheart.testkit.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

final class ConformanceArguments implements ArgumentsProvider, AnnotationConsumer<ConformanceFile> {
    private List<String> files = List.of();

    @Override
    public void accept(ConformanceFile annotation) {
        files = Arrays.asList(annotation.value());
    }

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        var wanted = System.getProperty("conformance.case", "");
        return files.stream()
                .flatMap(file -> CaseReader.read(file).stream())
                .filter(c -> c.name().contains(wanted))
                .map(Arguments::of);
    }
}
