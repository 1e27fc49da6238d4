package org.restheart.mongo.metadata;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.ProblemCode.RESERVED_NAME;

import java.util.List;
import java.util.Locale;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Checks names of databases, collections and documents (MongoDB manual, "Naming Restrictions").
public final class ResourceNames {
    /// The collection with the properties of a database and its collections.
    public static final String PROPERTIES = "_properties";

    /// The collection with the responses to requests with an `Idempotency-Key`.
    public static final String IDEMPOTENCY = "_idempotency";

    /// The collection of imports that go on without their clients; their parts are in `_imports.parts`.
    public static final String IMPORTS = "_imports";

    /// The collection by which gateways take turns to change accounts with the root role.
    public static final String MANAGER_LOCK = "_manager_lock";

    /// The prefix of collections for dry runs of updates.
    public static final String DRY_RUNS = "_dry_runs.";

    /// Characters of the name of a database or a collection at most, in MongoDB.
    private static final int LONGEST = 255;

    private ResourceNames() {}

    /// Whether MongoDB can have a database or a collection of the name. Nothing is to be remembered of longer ones,
    /// which clients may make as long as the content of a request.
    public static boolean isPossible(String name) {
        return name.length() <= LONGEST;
    }

    /// @throws org.restheart.http.ProblemException 400 for illegal, 403 for reserved names
    public static void check(@Nullable String db, @Nullable String collection) {
        if (db != null) {
            checkLegalDb(db);
        }
        if (collection != null) {
            checkLegalCollection(collection);
        }
        if ((db != null && isReservedDb(db)) || (collection != null && isReservedCollection(collection))) {
            throw Problem.of(RESERVED_NAME, "reserved resource")
                    .withHints(
                            "".equals(collection)
                                    ? List.of("a collection without a name: are there two slashes in a row in the URL?")
                                    : List.of())
                    .raise();
        }
    }

    private static void checkLegalDb(String db) {
        if (!isLegalDb(db)) {
            throw new ProblemException(
                    PARAMETER_INVALID, "illegal database name, see the naming restrictions in the MongoDB manual");
        }
    }

    public static boolean isLegalDb(String db) {
        boolean legal = !db.isEmpty() && db.length() <= 64;
        for (int i = 0; legal && i < db.length(); i++) {
            legal = "\0 /\\.\"$".indexOf(db.charAt(i)) < 0;
        }
        return legal;
    }

    private static void checkLegalCollection(String collection) {
        if (collection.indexOf('\0') >= 0 || collection.indexOf('$') >= 0) {
            throw new ProblemException(
                    PARAMETER_INVALID, "illegal collection name, see the naming restrictions in the MongoDB manual");
        }
    }

    public static boolean isReservedDb(String db) {
        return switch (db.toLowerCase(Locale.ROOT)) {
            case "admin", "config", "local" -> true;
            default -> db.startsWith("system.");
        };
    }

    public static boolean isReservedCollection(String collection) {
        return collection.isEmpty()
                || collection.startsWith("system.")
                || collection.endsWith(".chunks")
                || collection.equals(PROPERTIES)
                || collection.equals(IDEMPOTENCY)
                || collection.equals(IMPORTS)
                || collection.equals(MANAGER_LOCK)
                || collection.startsWith(IMPORTS + ".")
                || collection.startsWith(DRY_RUNS);
    }

    /// @throws ProblemException 403 for an id with which no document may be inserted
    public static void requireUnreserved(BsonValue id) {
        if (isReservedId(id)) {
            throw new ProblemException(RESERVED_NAME, "reserved resource");
        }
    }

    /// Whether the server stores properties under this id, with which no document may be inserted.
    public static boolean isReservedId(BsonValue id) {
        if (!id.isString()) {
            return false;
        }
        var text = id.asString().getValue();
        return text.equalsIgnoreCase(PROPERTIES) || text.startsWith(PROPERTIES + ".");
    }
}
