package org.restheart.security.apikey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.Request;

/// Where keys are kept. Thread-safe; all methods may wait.
public interface ApiKeys {
    /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now; [org.restheart.http.NeedsThread]
    ///     through the request if that takes a look elsewhere
    Optional<ApiKey> find(Request request, String digest);

    /// @return false if there is such a key
    boolean insert(ApiKey key);

    /// Keys of one account, or all, by creation; not more than some thousands.
    List<ApiKey> list(Optional<String> account);

    /// @param changes fields and their new values
    void update(ApiKey key, BsonDocument changes);

    void delete(ApiKey key);

    /// Notes that a key was used; does not wait, and not every use is noted.
    void used(ApiKey key, Instant at);
}
