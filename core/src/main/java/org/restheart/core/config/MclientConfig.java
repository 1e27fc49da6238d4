package org.restheart.core.config;

/// `mclient`: the MongoDB deployment to talk to.
///
/// @param enabled false when this server runs without MongoDB
/// @param connectionString a MongoDB connection string; may hold a password, so print only [#masked()]
public record MclientConfig(boolean enabled, String connectionString) {
    private static final String KEY = "connection-string";

    /// Reads the block, or the key `mongo-uri` of former releases.
    static MclientConfig read(Block block, Block mongo) {
        mongo.legacy("mongo-uri", "is read for /mclient/connection-string, which is the name of this key");
        boolean former = mongo.has("mongo-uri") && !block.has(KEY);
        var uri = former ? mongo.text("mongo-uri", "") : block.text(KEY, "mongodb://127.0.0.1");
        if (!uri.startsWith("mongodb://") && !uri.startsWith("mongodb+srv://")) {
            block.refuse(KEY, "must start with mongodb:// or mongodb+srv://");
        }
        return new MclientConfig(!block.has("enabled") || block.bool("enabled", true), uri);
    }

    public String masked() {
        return Secrets.inUri(connectionString);
    }

    @Override
    public String toString() {
        return "MclientConfig[" + masked() + "]";
    }
}
