package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.Request;

/// The limits of tokens that requests ask for by the parameters `resource` (RFC 8707) and `scope` (RFC 6749, 3.3).
@FunctionalInterface
public interface TokenLimits {
    /// The claims `aud` and `scope`; no claims if the token is not limited.
    ///
    /// @return empty if there is no such resource
    Optional<BsonDocument> claims(Request request, List<String> resources, List<String> scope);
}
