package org.restheart.graphql.app;

import graphql.schema.GraphQLSchema;
import java.util.Map;

/// An app that can be served. Immutable.
///
/// @param uris its paths, without a leading slash
/// @param fields mappings by `Type.field`, those of queries only
/// @param documents queries that the definition holds, by their names
public record App(
        AppUris uris, GraphQLSchema schema, Map<String, FieldMapping> fields, Map<String, String> documents) {}
