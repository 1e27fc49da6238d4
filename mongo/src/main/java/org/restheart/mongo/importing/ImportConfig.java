package org.restheart.mongo.importing;

/// @param uri of the service; begins with `/`
/// @param db the database of the collections `_imports` and `_imports.parts`
/// @param maxPerAccount imports of one account at a time
/// @param maxBytesPerAccount stored for the imports of one account
/// @param maxBytes stored for all imports
public record ImportConfig(String uri, String db, int maxPerAccount, long maxBytesPerAccount, long maxBytes) {}
