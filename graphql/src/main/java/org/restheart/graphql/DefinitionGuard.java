package org.restheart.graphql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Content;
import org.restheart.http.DocumentCheck;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.WarningsBody;
import org.restheart.mongo.metadata.EscapedKeys;

/// Guards requests of the data API to the collection of app definitions, by any path: authorizes writes, refuses
/// invalid definitions, escapes keys, and updates served apps after writes.
final class DefinitionGuard implements Filter {
    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private final GraphqlConfig config;
    private final AppCatalog catalog;

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
        var warnings = Collections.synchronizedSet(new LinkedHashSet<String>());
        return following(checked(request, target.get(), warnings), next)
                .map(written ->
                        warnings.isEmpty() ? written : WarningsBody.add(request, written, List.copyOf(warnings)));
    }

    /// Whether a request is about definitions, or about their whole collection or database; those of another database,
    /// too, if the request is answered with that.
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
            throw Problem.of(ProblemCode.FORBIDDEN, "this role may not write GraphQL App definitions")
                    .raise();
        }
    }

    /// @param warnings to which those about the definitions are added when they are checked
    private Request checked(Request request, DataTarget target, Set<String> warnings) {
        if (target.collection().isEmpty()) {
            return request;
        }
        if (target.kind() == ResourceKind.BULK_DOCUMENTS) {
            throw Problem.of(
                            ProblemCode.NOT_IMPLEMENTED,
                            "GraphQL App definition cannot be updated with bulk patch requests")
                    .raise();
        }
        boolean writesDocuments = target.kind() == ResourceKind.DOCUMENT
                || (target.kind() == ResourceKind.COLLECTION && request.method() == Method.POST);
        if (!writesDocuments || request.method() == Method.DELETE) {
            return request;
        }
        var content = request.require(RequestContent.KEY);
        if (content.isUnread()) {
            throw Problem.of(ProblemCode.CONTENT_TYPE_UNSUPPORTED, "GraphQL App definitions cannot be written as lines")
                    .raise();
        }
        boolean isArray = content.value().isArray();
        return request.with(RequestContent.KEY, new RequestContent(() -> escaped(request, content.value())))
                .with(
                        DocumentCheck.KEY,
                        documents -> warnings.addAll(check(target.db().orElseThrow(), documents, isArray)));
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

    /// @return warnings
    private List<String> check(String database, List<? extends BsonDocument> documents, boolean isArray) {
        var warnings = new ArrayList<String>();
        var taken = new HashSet<String>();
        for (int i = 0; i < documents.size(); i++) {
            var place = isArray ? " in document at index positon " + i : "";
            try {
                check(database, documents.get(i), place, taken).stream()
                        .map(warning -> warning + place)
                        .forEach(warnings::add);
            } catch (InvalidApp e) {
                throw Problem.of(
                                ProblemCode.CONTENT_INVALID,
                                "Wrong GraphQL App definition" + place + ": " + e.getMessage())
                        .raise();
            }
        }
        return warnings;
    }

    private List<String> check(String database, BsonDocument document, String place, Set<String> taken)
            throws InvalidApp {
        var raw = document instanceof RawBsonDocument already ? already : new RawBsonDocument(document, CODEC);
        var app = catalog.compile(raw, database, true).app();
        var own = app.uris().own().orElseThrow();
        var id = document.get("_id");
        boolean collides = taken.contains(own);
        for (var rival : collides ? List.<RawBsonDocument>of() : catalog.rivals(database, own)) {
            collides |= !Objects.equals(rival.get("_id"), id) && claims(rival, own);
        }
        if (collides) {
            throw Problem.of(
                            ProblemCode.CONFLICT,
                            "Wrong GraphQL App definition" + place
                                    + ": URI collision: another GraphQL app is already accessible at /" + own)
                    .raise();
        }
        taken.add(own);
        return app.warnings();
    }

    /// By the declared path, or by the id without one.
    private static boolean claims(BsonDocument rival, String uri) {
        return !(rival.get("descriptor") instanceof BsonDocument descriptor)
                || !descriptor.isString("uri")
                || AppUris.normal(descriptor.getString("uri").getValue()).equals(uri);
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
        boolean isJson = response.headers()
                .first("Content-Type")
                .filter(type -> type.contains("json"))
                .isPresent();
        return switch (response.content()) {
            case Content.Bytes(var json) when isJson -> response.with(new Content.Bytes(UnescapedJson.of(json)));
            case Content.Streamed streamed when isJson -> response.with(streamed.through(UnescapedJson::of));
            default -> response;
        };
    }
}
