package org.restheart.security;

import org.restheart.http.access.DataTarget;

/// A collection that the gateway itself uses, such as that of accounts, so that guards watch requests for it. Names are
/// compared without regard to case, as on a case-insensitive file system.
public interface ProtectedCollection {
    String database();

    String collection();

    default String fullName() {
        return database() + "." + collection();
    }

    /// Whether a request is for the collection, or for something in it.
    default boolean isTargetOf(DataTarget target) {
        return target.collection().filter(collection()::equalsIgnoreCase).isPresent() && isDatabaseOf(target);
    }

    /// As [#isTargetOf], or for its whole database.
    default boolean isWithin(DataTarget target) {
        return isDatabaseOf(target)
                && target.collection()
                        .filter(name -> !name.equalsIgnoreCase(collection()))
                        .isEmpty();
    }

    private boolean isDatabaseOf(DataTarget target) {
        return target.db().filter(database()::equalsIgnoreCase).isPresent();
    }
}
