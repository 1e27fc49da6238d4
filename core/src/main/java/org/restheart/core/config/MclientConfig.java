package org.restheart.core.config;

/// `mclient`: the MongoDB deployment to talk to.
///
/// @param connectionString a MongoDB connection string; may hold a password, so print only [#masked()]
public record MclientConfig(String connectionString) {
    static MclientConfig read(Block block) {
        var uri = block.text("connection-string", "mongodb://127.0.0.1");
        if (!uri.startsWith("mongodb://") && !uri.startsWith("mongodb+srv://")) {
            block.refuse("connection-string", "must start with mongodb:// or mongodb+srv://");
        }
        return new MclientConfig(uri);
    }

    public String masked() {
        return Secrets.inUri(connectionString);
    }

    @Override
    public String toString() {
        return "MclientConfig[" + masked() + "]";
    }
}
