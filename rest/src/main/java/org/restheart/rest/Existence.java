package org.restheart.rest;

import static org.restheart.http.ProblemCode.NAMESPACE_NOT_FOUND;

import java.util.List;
import java.util.Optional;
import org.restheart.data.Operation.Structure;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.rest.resource.Mounts.UriSpace;
import org.restheart.rest.resource.ResourcePath;

/// Refuses requests about databases and collections that do not exist, unless they create them.
record Existence(Metadata metadata, QuerySecurity security) {
    /// The metadata of the collection, or of the database for resources above collections.
    ///
    /// @param fresh query MongoDB instead of the cache
    /// @throws org.restheart.http.ProblemException 404; 403 for a view over accounts or permissions
    ResourceMetadata require(Request request, ResourcePath path, boolean fresh) {
        if (path.db() == null) {
            return ResourceMetadata.ROOT;
        }
        if (path.collection() == null) {
            var db = metadata.db(request::requireThread, path.db(), fresh);
            if (!db.exists() && !creates(request)) {
                throw missingDb(request, path);
            }
            warnOfName(request, path.db());
            return db;
        }
        var collection = metadata.collection(request::requireThread, path.db(), path.collection(), fresh);
        if (!collection.exists()) {
            if (!metadata.db(request::requireThread, path.db(), fresh).exists()) {
                throw missingDb(request, path);
            }
            if (!creates(request)) {
                throw Problem.of(NAMESPACE_NOT_FOUND, missingCollection(path))
                        .withHints(remedy(request, path))
                        .raise();
            }
        }
        warnOfName(request, path.collection());
        security.requireOpen(collection.sources());
        return collection;
    }

    /// A database or collection that is made under nearly the name of another resource.
    private static void warnOfName(Request request, String name) {
        if (name.startsWith("_") && creates(request)) {
            Remedies.wordOfDatabase(name)
                    .filter(word -> !word.equals(name))
                    .ifPresent(word -> FoundWarnings.add(
                            request, name + " has no meaning of its own; did you mean " + word + "?"));
        }
    }

    private static boolean creates(Request request) {
        return request.require(DataTarget.KEY).operation() == Structure.CREATE;
    }

    /// For writes, which do not create collections by themselves, and for paths with the database in front, as
    /// where databases are segments of the path.
    private static List<String> remedy(Request request, ResourcePath path) {
        if (path.requireCollection().equals(path.db())) {
            return List.of("this is the collection " + path.db() + " of the database " + path.db()
                    + ": is the name of the database in the URL where it already begins with that database?");
        }
        var word = Remedies.wordOfDatabase(path.requireCollection());
        if (word.isPresent() && !path.kind().isSchemas()) {
            return List.of("did you mean " + word.get() + "?");
        }
        return switch (request.method()) {
            case POST, PUT, PATCH ->
                List.of("nothing is created by itself: PUT …/" + path.requireCollection() + " creates "
                        + (path.kind().isSchemas()
                                ? "the store of schemas"
                                : path.kind().isFiles() ? "the bucket" : "the collection"));
            case GET, HEAD, DELETE, OPTIONS -> List.of();
        };
    }

    private static RuntimeException missingDb(Request request, ResourcePath path) {
        var db = path.requireDb();
        return Problem.of(NAMESPACE_NOT_FOUND, "Db '" + db + "' does not exist")
                .withHints(Remedies.wordOfDatabase(db)
                        .map(word -> "did you mean " + word + "?")
                        .or(() -> ofMissingDb(request, path))
                        .stream()
                        .toList())
                .raise();
    }

    /// Where the database is no segment of the path, its own path is not obvious.
    private static Optional<String> ofMissingDb(Request request, ResourcePath path) {
        return switch (request.method()) {
            case POST, PUT, PATCH ->
                request.require(UriSpace.KEY)
                        .pathOf(path.requireDb())
                        .map(own -> "nothing is created by itself: PUT " + own + " creates the database");
            case GET, HEAD, DELETE, OPTIONS -> Optional.empty();
        };
    }

    private static String missingCollection(ResourcePath path) {
        if (path.kind().isSchemas()) {
            return "Schema Store does not exist";
        }
        return (path.kind().isFiles() ? "File Bucket '" : "Collection '") + path.collection() + "' does not exist";
    }
}
