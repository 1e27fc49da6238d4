package org.restheart.http.access;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonValue;
import org.restheart.data.Operation;
import org.restheart.data.Privilege;
import org.restheart.http.attribute.Key;

/// The target of a data request, in MongoDB's names, as access rules see it (`@request.db` …). Parsed once, before
/// authentication, from the same path that the handler uses. Immutable.
///
/// @param db empty for the root and for sessions
/// @param collection empty above collections
/// @param id the id of the document in the path; empty without one, and for a malformed id
/// @param demands the flags that an access rule must set to allow the request
public record DataTarget(
        Optional<String> db,
        Optional<String> collection,
        Optional<BsonValue> id,
        ResourceKind kind,
        Operation operation,
        Set<Privilege> demands) {
    public static final Key<DataTarget> KEY = Key.named("data target");
}
