package org.restheart.graphql;

import graphql.GraphQL;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.Apps;
import org.restheart.graphql.app.Apps.App;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.Digests;
import org.restheart.mongo.metadata.EscapedKeys;

/// An app with its query engine. Thread-safe.
///
/// @param stored its definition as stored
/// @param texts of the queries that the definition holds, by name and by SHA-256
record ServedApp(RawBsonDocument stored, App app, GraphQL engine, QueryCache queries, Map<String, String> texts) {
    private static final String FUNCTION = "sha256:";

    /// @param stored with or without escaped keys
    /// @param strict whether to refuse unknown keys
    /// @throws InvalidApp naming the location of the error
    static ServedApp of(RawBsonDocument stored, Apps apps, GraphqlConfig config, boolean strict) throws InvalidApp {
        var app = apps.compile(unescaped(stored), AppUris.of(stored), strict);
        var queries = new QueryCache(app.schema(), config.queries());
        var texts = new HashMap<String, String>();
        for (var document : app.documents().entrySet()) {
            var prepared = queries.keep(document.getValue());
            if (prepared.hasErrors()) {
                throw new InvalidApp("The document " + document.getKey() + " is wrong: "
                        + prepared.getErrors().getFirst().getMessage());
            }
            texts.put(document.getKey(), document.getValue());
            texts.put(sha256(document.getValue()), document.getValue());
        }
        var errors = new FieldErrors();
        var engine = GraphQL.newGraphQL(app.schema())
                .instrumentation(new ResultMemory.Counting())
                .preparsedDocumentProvider(queries)
                .queryExecutionStrategy(new FieldErrors.BoundedStrategy(errors))
                .subscriptionExecutionStrategy(new FieldErrors.SubscriptionStrategy(errors))
                .defaultDataFetcherExceptionHandler(errors)
                .build();
        return new ServedApp(stored, app, engine, queries, Map.copyOf(texts));
    }

    /// Its definition with unescaped keys.
    BsonDocument definition() {
        return unescaped(stored);
    }

    private static BsonDocument unescaped(BsonDocument stored) {
        return EscapedKeys.unescape(stored);
    }

    /// The query of that name or hash, which may have a prefix that names the function.
    Optional<String> document(String id) {
        return Optional.ofNullable(texts.get(id))
                .or(() -> id.startsWith(FUNCTION)
                        ? Optional.ofNullable(texts.get(id.substring(FUNCTION.length())))
                        : Optional.empty());
    }

    boolean holds(String query) {
        return texts.containsValue(query);
    }

    private static String sha256(String text) {
        return HexFormat.of().formatHex(Digests.sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
