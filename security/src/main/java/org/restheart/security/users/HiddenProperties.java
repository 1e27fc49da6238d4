package org.restheart.security.users;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.http.access.Grant;

/// Restricts the fields that a permission shows.
final class HiddenProperties {
    /// No property has this name: showing only it shows nothing.
    private static final String NOTHING = "-";

    private HiddenProperties() {}

    /// The grant without these properties.
    static Grant withhold(Grant grant, Set<String> hidden) {
        return grant.withProjectResponse(Optional.of(narrow(grant.projectResponse(), hidden)));
    }

    private static BsonDocument narrow(Optional<BsonDocument> projection, Set<String> hidden) {
        var narrowed = new BsonDocument();
        boolean includes = projection
                .filter(given -> given.values().stream()
                        .anyMatch(value -> value.isNumber() && value.asNumber().doubleValue() != 0))
                .isPresent();
        projection.ifPresent(given -> given.forEach((path, value) -> {
            if (!isIn(path, hidden)) {
                narrowed.append(path, value);
            }
        }));
        if (!includes) {
            hidden.forEach(name -> narrowed.append(name, new BsonInt32(0)));
        } else if (narrowed.isEmpty()) {
            narrowed.append(NOTHING, new BsonInt32(1));
        }
        return narrowed;
    }

    private static boolean isIn(String path, Set<String> hidden) {
        int dot = path.indexOf('.');
        return hidden.contains(dot < 0 ? path : path.substring(0, dot));
    }
}
