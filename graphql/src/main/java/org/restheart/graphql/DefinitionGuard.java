package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.RawDocuments;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Guard;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.WarningsBody;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.parameter.SessionParameter;

/// Guards requests of the data API to the collection of app definitions, by any path: authorizes writes,
/// refuses invalid definitions, escapes keys, and updates served apps after writes.
final class DefinitionGuard implements Guard {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final GraphqlConfig config;
    private final AppCatalog catalog;

    /// Of the ids and paths of definitions that are being written: a request must see those of others before
    /// it stores its own. There is no lock for all definitions, since a write may wait in MongoDB.
    private final LoadingCache<String, Semaphore> locks =
            Caffeine.newBuilder().weakValues().build(_ -> new Semaphore(1));

    DefinitionGuard(GraphqlConfig config, AppCatalog catalog) {
        this.config = config;
        this.catalog = catalog;
    }

    @Override
    public Response guard(Request request, DataTarget target, Handler next) {
        return switch (target.operation()) {
            case Other.NONE -> next.handle(request);
            case Read.AGGREGATE -> writes(request, target, next);
            case Read _ -> next.handle(DocumentFormat.showing(request, EscapedKeys::unescape));
            case Write _, Structure _, Other _ -> writes(request, target, next);
        };
    }

    private Response writes(Request request, DataTarget target, Handler next) {
        checkWriter(request);
        var write = new DefinitionChecks();
        var checked = checked(request, target, write);
        var written = checked.attribute(DocumentCheck.KEY).isPresent()
                ? inTurn(checked, target, next, write)
                : following(checked, next);
        return written.map(answer -> {
            var warnings = List.copyOf(write.warnings);
            return warnings.isEmpty() ? answer : WarningsBody.add(request, answer, warnings);
        });
    }

    /// Writes definitions, each of which is checked before it is stored. Others with the same ids or paths
    /// wait while paths are compared and documents stored, not while many are compiled. A change is checked
    /// when MongoDB has locked the document already: so the id is locked before, as ids are before paths.
    private Response inTurn(Request request, DataTarget target, Handler next, DefinitionChecks write) {
        request.requireThread();
        try {
            if (target.operation().isChange()) {
                target.id().ifPresent(id -> write.lock(Set.of(id(target.db().orElseThrow(), id))));
            }
            return following(request, next).settled();
        } finally {
            write.held.values().forEach(Semaphore::release);
        }
    }

    private static String id(String database, BsonValue id) {
        return "id " + database + " " + new BsonDocument("_id", id).toJson();
    }

    /// Whether a request is about definitions, or about their whole collection or database; those of another
    /// database, too, if the request is answered with that.
    @Override
    public boolean concerns(Request request, DataTarget target) {
        var definitions = config.definitions();
        var override = request.attribute(GraphqlService.DEFINITIONS_DATABASE);
        return target.db()
                        .filter(db -> db.equals(definitions.getDatabaseName())
                                || override.filter(db::equals).isPresent())
                        .isPresent()
                && target.collection()
                        .map(definitions.getCollectionName()::equals)
                        .orElse(true);
    }

    private void checkWriter(Request request) {
        var writers = config.writers();
        boolean may = writers.isEmpty()
                || request.caller().account().map(Account::roles).orElse(List.of()).stream()
                        .anyMatch(writers::contains);
        if (!may) {
            throw new ProblemException(ProblemCode.FORBIDDEN, "this role may not write GraphQL App definitions");
        }
    }

    /// @param write by which the definitions are checked before they are stored
    private Request checked(Request request, DataTarget target, DefinitionChecks write) {
        if (target.collection().isEmpty()) {
            return request;
        }
        switch (target.operation()) {
            case Write.INSERT, Write.UPLOAD, Write.REPLACE, Write.UPDATE, Write.DELETE -> {}
            case Write _ ->
                throw new ProblemException(
                        ProblemCode.NOT_IMPLEMENTED,
                        "GraphQL App definition cannot be updated with bulk patch requests");
            case Read _, Structure _, Other _ -> {
                return request;
            }
        }
        if (SessionParameter.namesTransaction(request.query())) {
            throw new ProblemException(
                    ProblemCode.CONFLICT,
                    "GraphQL App definitions are written outside of transactions only: until one is committed,"
                            + " others do not see which path it has");
        }
        if (target.operation() == Write.DELETE) {
            return request;
        }
        var content = request.require(RequestContent.KEY);
        if (content.isUnread()) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TYPE_UNSUPPORTED, "GraphQL App definitions cannot be written as lines");
        }
        boolean isArray = content.value().isArray();
        return request.with(RequestContent.KEY, new RequestContent(() -> escaped(target, content.value())))
                .with(DocumentCheck.KEY, documents -> write.check(target.db().orElseThrow(), documents, isArray));
    }

    /// Keys of a change name operators and paths; below these they are escaped.
    private static BsonValue escaped(DataTarget target, BsonValue content) {
        if (!target.operation().isChange()) {
            return EscapedKeys.escape(content);
        }
        if (!content.isDocument()) {
            return content;
        }
        var change = new BsonDocument();
        content.asDocument().forEach((key, value) -> change.append(key, escapedMember(key, value)));
        return change;
    }

    private static BsonValue escapedMember(String key, BsonValue value) {
        if (!key.startsWith("$") || !value.isDocument()) {
            return EscapedKeys.escape(value);
        }
        var operands = new BsonDocument();
        value.asDocument().forEach((path, operand) -> operands.append(path, EscapedKeys.escape(operand)));
        return operands;
    }

    /// Updates served apps after a write, also after a failed one, whose outcome is unknown.
    private Response following(Request checked, Handler next) {
        Response response;
        try {
            response = next.handle(checked);
        } catch (ProblemException refused) {
            throw refused;
        } catch (RuntimeException | Error failure) {
            catalog.written();
            throw failure;
        }
        return response.whenDone(catalog::written);
    }

    /// The checks of the definitions that one request writes, and what these say without effect. Thread-safe
    /// as its request is.
    private final class DefinitionChecks {
        private final Set<String> warnings = Collections.synchronizedSet(new LinkedHashSet<>());
        private final Map<String, Semaphore> held = Collections.synchronizedMap(new HashMap<>());

        /// Blocks while others write definitions with these names.
        void lock(Collection<String> names) {
            for (var name : new TreeSet<>(names)) { // in one order, so that nobody waits for each other
                if (!held.containsKey(name)) {
                    var lock = locks.get(name);
                    if (!isTaken(lock)) {
                        throw Problem.overloaded("GraphQL App definitions with the same id or path are being written")
                                .raise();
                    }
                    held.put(name, lock);
                }
            }
        }

        private static boolean isTaken(Semaphore lock) {
            try {
                return lock.tryAcquire(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /// Blocks.
        ///
        /// @param isArray whether messages tell one of several documents
        /// @throws org.restheart.http.ProblemException 400 for a definition that is invalid, 409 for a path
        ///     that another one has
        void check(String database, List<? extends BsonDocument> documents, boolean isArray) {
            var uris = new ArrayList<Set<String>>();
            var names = new HashSet<String>();
            for (int i = 0; i < documents.size(); i++) {
                var place = place(i, isArray);
                try {
                    var app = catalog.compile(RawDocuments.encode(documents.get(i)), database, true);
                    uris.add(app.app().uris().all());
                    uris.getLast().forEach(uri -> names.add("uri " + database + " " + uri));
                    Optional.ofNullable(documents.get(i).get("_id")).ifPresent(id -> names.add(id(database, id)));
                    warnings(database, app).forEach(warning -> warnings.add(warning + place));
                } catch (InvalidApp e) {
                    throw new ProblemException(
                            ProblemCode.CONTENT_INVALID,
                            "Wrong GraphQL App definition" + place + ": " + e.getMessage());
                }
            }
            lock(names);
            checkPaths(database, documents, uris, isArray);
        }

        /// The text with which messages tell one of several documents.
        private static String place(int index, boolean isArray) {
            return isArray ? " in document at index positon " + index : ""; // spelt so in the contract
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
            var candidates = catalog.candidates(
                    database, uris.stream().flatMap(Set::stream).toList());
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
    }
}
