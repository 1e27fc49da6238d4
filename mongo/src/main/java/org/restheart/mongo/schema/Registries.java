package org.restheart.mongo.schema;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import com.networknt.schema.resource.ResourceLoader;
import java.util.Locale;

/// The validator library as we use it: nothing is fetched but meta schemas, from its own archive, and what the loader
/// finds; patterns cannot run for ever; errors are in English and name places by JSON pointers.
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
