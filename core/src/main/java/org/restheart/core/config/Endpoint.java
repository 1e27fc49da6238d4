package org.restheart.core.config;

/// The keys that all services have in common.
///
/// @param enabled whether the service exists
/// @param uri the path it answers below; begins with `/`
/// @param secured whether authentication and authorization apply
public record Endpoint(boolean enabled, String uri, boolean secured) {
    /// The endpoint of a block; absent keys have the values of the given one and are not reported.
    ///
    /// `secure` is accepted as `secured`, with a warning, so that services of older files do not become public.
    public static Endpoint read(Block block, Endpoint absent) {
        boolean alias = block.has("secure") && !block.has("secured");
        if (alias) {
            block.advise("secure", "is read as \"secured\", which is the name of this key");
        }
        var secured = alias ? "secure" : "secured";
        return new Endpoint(
                block.bool("enabled", absent.enabled),
                block.uri("uri", absent.uri),
                block.bool(secured, absent.secured));
    }
}
