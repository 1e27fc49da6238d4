package org.restheart.graphql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.RawDocuments;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The write of definitions by one request: checks them, waits for others that write definitions with the same ids or
/// paths, and collects warnings. Thread-safe as its request is.
final class DefinitionWrite implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /// While others wait in MongoDB for a document that the request has changed.
    private static final Duration LONGEST_WAIT_OF_CHANGES = Duration.ofSeconds(2);

    private final GraphqlConfig config;
    private final AppCatalog catalog;
    private final NameLocks<Name> locks;
    private final Set<Name> locked = new HashSet<>();
    private final Set<String> warnings = Collections.synchronizedSet(new LinkedHashSet<>());

    /// What definitions must not share.
    sealed interface Name {
        record Id(String database, BsonValue id) implements Name {}

        record Path(String database, String uri) implements Name {}
    }

    /// @param locks of the ids and paths that requests write
    DefinitionWrite(GraphqlConfig config, AppCatalog catalog, NameLocks<Name> locks) {
        this.config = config;
        this.catalog = catalog;
        this.locks = locks;
    }

    /// What the definitions that were checked say without effect.
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /// Blocks while others write the definition with this id.
    void lockId(String database, BsonValue id) {
        lock(Set.of(new Name.Id(database, id)));
    }

    /// Blocks, unless the request has locked all names already.
    private void lock(Set<Name> names) {
        var others = new HashSet<>(names);
        others.removeAll(locked);
        if (!locks.lock(others, locked.isEmpty() ? LONGEST_WAIT : LONGEST_WAIT_OF_CHANGES)) {
            throw Problem.overloaded("GraphQL App definitions with the same id or path are being written")
                    .raise();
        }
        locked.addAll(others);
    }

    /// Checks definitions, and locks their ids and paths before paths are compared. Blocks.
    ///
    /// @param isArray whether messages tell one of several documents
    /// @throws org.restheart.http.ProblemException 400 for a definition that is invalid, 409 for a path that
    ///     another one has, 503 while others write definitions with the same ids or paths
    void check(String database, List<? extends BsonDocument> documents, boolean isArray) {
        var uris = new ArrayList<Set<String>>();
        for (int i = 0; i < documents.size(); i++) {
            var place = place(i, isArray);
            try {
                var app = compile(database, documents.get(i));
                uris.add(app.app().uris().all());
                warnings(database, app).forEach(warning -> warnings.add(warning + place));
            } catch (InvalidApp e) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, "Wrong GraphQL App definition" + place + ": " + e.getMessage());
            }
        }
        lock(names(database, documents, uris));
        checkPaths(database, documents, uris, isArray);
    }

    private static Set<Name> names(String database, List<? extends BsonDocument> documents, List<Set<String>> uris) {
        var names = new HashSet<Name>();
        for (var document : documents) {
            var id = document.get("_id");
            if (id != null) {
                names.add(new Name.Id(database, id));
            }
        }
        uris.forEach(each -> each.forEach(uri -> names.add(new Name.Path(database, uri))));
        return names;
    }

    /// The text with which messages tell one of several documents.
    private static String place(int index, boolean isArray) {
        return isArray ? " in document at index positon " + index : ""; // spelt so in the contract
    }

    private ServedApp compile(String database, BsonDocument document) throws InvalidApp {
        var raw = RawDocuments.encode(document);
        return catalog.compile(raw, database, true);
    }

    private List<String> warnings(String database, ServedApp app) {
        var warnings = new ArrayList<>(catalog.warnings(app, database));
        app.app()
                .uris()
                .declared()
                .filter(uri -> ("/" + uri).startsWith(config.uri() + "/"))
                .ifPresent(uri -> warnings.add("descriptor.uri is below " + config.uri()
                        + ", so that the app is served at " + config.uri() + "/" + uri));
        return warnings;
    }

    /// @param uris of each document
    private void checkPaths(
            String database, List<? extends BsonDocument> documents, List<Set<String>> uris, boolean isArray) {
        var candidates = catalog.definitions()
                .candidates(database, uris.stream().flatMap(Set::stream).toList());
        var taken = new HashSet<String>();
        for (int i = 0; i < documents.size(); i++) {
            var id = documents.get(i).get("_id");
            for (var uri : uris.get(i)) {
                boolean collides = !taken.add(uri)
                        || candidates.getOrDefault(uri, List.of()).stream()
                                .anyMatch(other -> !Objects.equals(other.get("_id"), id));
                if (collides) {
                    throw new ProblemException(
                            ProblemCode.CONFLICT,
                            "Wrong GraphQL App definition" + place(i, isArray)
                                    + ": URI collision: another GraphQL app is already accessible at /" + uri);
                }
            }
        }
    }

    /// Lets the others go on.
    @Override
    public void close() {
        locks.unlock(locked);
    }
}
