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

    /// Sets a property of the account's document to a new ObjectId, unless it has that property. Its entity tag
    /// changes, too. Does nothing if accounts cannot be changed.
    default void identify(String name, String property) {}
}
