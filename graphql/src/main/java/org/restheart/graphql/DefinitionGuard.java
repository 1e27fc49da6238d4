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
import org.restheart.http.Content;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.WarningsBody;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.parameter.SessionParameter;

/// Guards requests of the data API to the collection of app definitions, by any path: authorizes writes,
/// refuses invalid definitions, escapes keys, and updates served apps after writes.
final class DefinitionGuard implements Filter {
    private final GraphqlConfig config;
    private final AppCatalog catalog;

    /// Of the ids and paths of definitions that are being written: a request must see those of others before
    /// it stores its own. There is no lock for all definitions, since a write may wait in MongoDB.
    private final NameLocks<DefinitionWrite.Name> locks = new NameLocks<>();

    DefinitionGuard(GraphqlConfig config, AppCatalog catalog) {
        this.config = config;
        this.catalog = catalog;
    }

    @Override
    public Response filter(Request request, Handler next) {
        var target = request.attribute(DataTarget.KEY);
        if (target.isEmpty() || request.method() == Method.OPTIONS || !concerns(request, target.get())) {
            return next.handle(request);
        }
        if (request.method().isSafe()) {
            return target.get().collection().isEmpty()
                    ? next.handle(request)
                    : next.handle(request).map(DefinitionGuard::unescaped);
        }
        checkWriter(request);
        var write = new DefinitionWrite(config, catalog, locks);
        var checked = checked(request, target.get(), write);
        var written = checked.attribute(DocumentCheck.KEY).isPresent()
                ? inTurn(checked, target.get(), next, write)
                : following(checked, next);
        return written.map(answer -> {
            var warnings = write.warnings();
            return warnings.isEmpty() ? answer : WarningsBody.add(request, answer, warnings);
        });
    }

    /// Writes definitions, each of which is checked before it is stored. Others with the same ids or paths
    /// wait while paths are compared and documents stored, not while many are compiled. A change is checked
    /// when MongoDB has already locked the document, for which a request that has locked the paths must not
    /// have to wait: so the id is locked before.
    private Response inTurn(Request request, DataTarget target, Handler next, DefinitionWrite write) {
        request.requireThread();
        try (write) {
            if (request.method() == Method.PATCH) {
                target.id().ifPresent(id -> write.lockId(target.db().orElseThrow(), id));
            }
            return following(request, next).settled();
        }
    }

    /// Whether a request is about definitions, or about their whole collection or database; those of another
    /// database, too, if the request is answered with that.
    private boolean concerns(Request request, DataTarget target) {
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
    private Request checked(Request request, DataTarget target, DefinitionWrite write) {
        if (target.collection().isEmpty()) {
            return request;
        }
        if (target.kind() == ResourceKind.BULK_DOCUMENTS) {
            throw new ProblemException(
                    ProblemCode.NOT_IMPLEMENTED, "GraphQL App definition cannot be updated with bulk patch requests");
        }
        boolean writesDocuments = target.kind() == ResourceKind.DOCUMENT
                || (target.kind() == ResourceKind.COLLECTION && request.method() == Method.POST);
        if (!writesDocuments) {
            return request;
        }
        if (SessionParameter.namesTransaction(request.query())) {
            throw new ProblemException(
                    ProblemCode.CONFLICT,
                    "GraphQL App definitions are written outside of transactions only: until one is committed,"
                            + " others do not see which path it has");
        }
        if (request.method() == Method.DELETE) {
            return request;
        }
        var content = request.require(RequestContent.KEY);
        if (content.isUnread()) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TYPE_UNSUPPORTED, "GraphQL App definitions cannot be written as lines");
        }
        boolean isArray = content.value().isArray();
        return request.with(RequestContent.KEY, new RequestContent(() -> escaped(request, content.value())))
                .with(DocumentCheck.KEY, documents -> write.check(target.db().orElseThrow(), documents, isArray));
    }

    /// Keys of a change name operators and paths; below these they are escaped.
    private static BsonValue escaped(Request request, BsonValue content) {
        if (request.method() != Method.PATCH) {
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

    private static Response.Ready unescaped(Response.Ready response) {
        var value = response.said(BsonDocument.class);
        if (value.isPresent()) {
            return response.saying(EscapedKeys.unescape(value.get()));
        }
        boolean isJson = response.headers()
                .first("Content-Type")
                .filter(type -> type.contains("json"))
                .isPresent();
        return switch (response.content()) {
            case Content.Bytes json when isJson -> response.with(json.through(2L * json.length(), UnescapedJson::of));
            case Content.Streamed streamed when isJson -> response.with(streamed.through(UnescapedJson::of));
            default -> response;
        };
    }

    /// The write of definitions by one request: checks them, waits for others that write definitions with
    /// the same ids or paths, and collects warnings. Thread-safe as its request is.
    static final class DefinitionWrite implements AutoCloseable {
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
        /// @throws org.restheart.http.ProblemException 400 for a definition that is invalid, 409 for a path
        ///     that another one has, 503 while others write definitions with the same ids or paths
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
                            ProblemCode.CONTENT_INVALID,
                            "Wrong GraphQL App definition" + place + ": " + e.getMessage());
                }
            }
            lock(names(database, documents, uris));
            checkPaths(database, documents, uris, isArray);
        }

        private static Set<Name> names(
                String database, List<? extends BsonDocument> documents, List<Set<String>> uris) {
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
}
