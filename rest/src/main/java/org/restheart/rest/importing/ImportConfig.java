package org.restheart.rest.importing;

/// The `imports` section of the configuration.
///
/// @param uri of the service; begins with `/`
/// @param db the database of the collections `_imports` and `_imports.parts`
/// @param maxPerAccount concurrent imports of one account
/// @param maxBytesPerAccount stored bytes for the imports of one account
/// @param maxBytes stored bytes for all imports
public record ImportConfig(String uri, String db, int maxPerAccount, long maxBytesPerAccount, long maxBytes) {}
