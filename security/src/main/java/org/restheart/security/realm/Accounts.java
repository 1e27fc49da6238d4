package org.restheart.security.realm;

import java.util.Optional;
import org.bson.BsonDocument;

/// The accounts of a [StoredRealm]. Thread-safe.
@FunctionalInterface
public interface Accounts {
    /// The document of the account with this name. May wait.
    ///
    /// @throws org.restheart.http.ProblemException 503 if it cannot be looked up now
    Optional<BsonDocument> find(String name);
}
