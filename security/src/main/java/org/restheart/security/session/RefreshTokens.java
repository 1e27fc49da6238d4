package org.restheart.security.session;

import java.util.Optional;
import org.restheart.http.Request;

/// The store of refresh tokens. Thread-safe; all methods block.
public interface RefreshTokens {
    /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now; [org.restheart.http.NeedsThread]
    ///     through the request on a thread that must not block
    Optional<RefreshToken> find(Request request, String digest);

    /// Stores a token. An account has a bounded number of them: beyond, its oldest is deleted.
    void insert(RefreshToken token);

    void delete(String digest);

    void deleteOf(String lineage);
}
