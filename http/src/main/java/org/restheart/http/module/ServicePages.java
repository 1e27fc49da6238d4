package org.restheart.http.module;

import org.restheart.http.Service;

/// Pages for browsers, in which other services are tried. Found in the same way as modules.
public interface ServicePages {
    /// Shows the OpenAPI document.
    ///
    /// @param uri of the page
    /// @param document the path of the document
    Service swaggerUi(String uri, String document);
}
