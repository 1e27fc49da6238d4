package org.restheart.mongo.schema;

/// One violation of a schema.
///
/// @param path of the value: `#/items/0/price`
/// @param rule the keyword that it violates
/// @param message in English
public record Violation(String path, String rule, String message) {}
