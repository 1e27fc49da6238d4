package org.restheart.core.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;

/// From where the gateway's classes come.
final class GatewayCode {
    private GatewayCode() {}

    /// The jar, or a folder of classes. The class loader says it: the protection domain of a class that
    /// comes from an AOT cache may have no location.
    static Path location() {
        var name = "/" + GatewayCode.class.getName().replace('.', '/') + ".class";
        var url = Objects.requireNonNull(GatewayCode.class.getResource(name)).toString();
        var code = url.substring(0, url.length() - name.length());
        return Path.of(URI.create(code.startsWith("jar:") ? code.substring("jar:".length(), code.length() - 1) : code));
    }
}
