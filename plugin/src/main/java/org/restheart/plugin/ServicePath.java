package org.restheart.plugin;

/// Where an endpoint is.
///
/// @param uri begins with `/`
/// @param isExact whether paths below it belong to other services
/// @param isOpen whether callers need no permission; they are authenticated if they send credentials
public record ServicePath(String uri, boolean isExact, boolean isOpen) {
    /// A path with all below it. Access rules apply, as for data: without one that allows it, requests are
    /// refused.
    public static ServicePath of(String uri) {
        return new ServicePath(uri, false, false);
    }

    /// Without what is below it.
    public ServicePath exact() {
        return new ServicePath(uri, true, isOpen);
    }

    /// For callers without a permission.
    public ServicePath open() {
        return new ServicePath(uri, isExact, true);
    }
}
