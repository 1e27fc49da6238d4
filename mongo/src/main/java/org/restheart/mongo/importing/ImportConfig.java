package org.restheart.mongo.importing;

/// @param uri of the service; begins with `/`
/// @param db the database of the collections `_imports` and `_imports.parts`
/// @param maxPerAccount imports of one account at a time
public record ImportConfig(String uri, String db, int maxPerAccount) {}
