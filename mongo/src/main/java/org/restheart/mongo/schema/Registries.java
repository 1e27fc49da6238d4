package org.restheart.mongo.schema;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import com.networknt.schema.resource.ResourceLoader;
import java.util.Locale;

/// Configures the validator library: only meta schemas of its own archive and schemas of the loader are loaded;
/// patterns and other keywords are bounded; errors are in English with JSON pointers.
final class Registries {
    private static final SchemaRegistryConfig CONFIG = SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(BoundedRegex::new)
            .build();

    private Registries() {}

    static SchemaRegistry of(ResourceLoader loader) {
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_4,
                builder -> builder.schemaRegistryConfig(CONFIG)
                        .dialectRegistry(new BoundedDialects())
                        .schemaLoader(schemas -> schemas.fetchRemoteResources(false)
                                .allow(iri -> {
                                    var uri = iri.toString();
                                    return uri.startsWith(SchemaKey.BASE)
                                            || uri.startsWith("http://json-schema.org/")
                                            || uri.startsWith("https://json-schema.org/");
                                })
                                .resourceLoaders(resources -> resources.add(loader))));
    }
}
