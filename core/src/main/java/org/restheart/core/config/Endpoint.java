package org.restheart.core.config;

/// The keys that every service has in common.
///
/// @param enabled whether it is there at all
/// @param uri the path it answers below; begins with `/`
/// @param secured whether authentication and authorization apply
public record Endpoint(boolean enabled, String uri, boolean secured) {
    /// The endpoint of a block, or the given one where the block says nothing: none of these keys is missed.
    ///
    /// `secure` is understood as `secured`, with a warning: files were written that way, and must not be left
    /// open.
    public static Endpoint read(Block block, Endpoint absent) {
        boolean alias = block.has("secure") && !block.has("secured");
        if (alias) {
            block.advise("secure", "is read as \"secured\", which is the name of this key");
        }
        var secured = alias ? "secure" : "secured";
        return new Endpoint(
                block.has("enabled") ? block.bool("enabled", absent.enabled) : absent.enabled,
                block.has("uri") ? block.uri("uri", absent.uri) : absent.uri,
                block.has(secured) ? block.bool(secured, absent.secured) : absent.secured);
    }
}
