package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.data.Operation.Read;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mcp.Resources.ResourceUri;

/// The tools that describe databases and collections. Thread-safe.
record CatalogTools(
        McpConfig config,
        JudgedCalls calls,
        VisibleCollections visible,
        DeclaredFields declared,
        SealedTokens.Cursors cursors) {
    private static final int SAMPLE = 50;
    private static final int MAX_INDEXES = 100;

    /// The number of collections of a list for which documents are counted and aggregations are listed.
    private static final int DETAILED = 100;

    ToolResult listDatabases(ToolCall call) {
        var page = visible.databases(call.http(), cursors.open(call, VisibleCollections.ListPosition::of));
        var names = page.items();
        var array = BsonTexts.array(names.stream().map(Fence::cut).toList());
        return listed(
                call,
                names.size() + (names.size() == 1 ? " database" : " databases"),
                new BsonDocument("databases", array),
                page.next());
    }

    ToolResult listCollections(ToolCall call) {
        var database = call.text("database");
        var page = visible.collections(call.http(), database, cursors.open(call, VisibleCollections.ListPosition::of));
        var found = page.items();
        if (found.isEmpty() && page.next().isEmpty() && !call.has(cursors.name())) {
            throw RefusedCall.notVisible();
        }
        var array = new BsonArray();
        found.forEach(collection -> array.add(described(call, collection, array.size() < DETAILED)));
        return listed(
                call,
                found.size() + (found.size() == 1 ? " collection of " : " collections of ") + Fence.quoted(database),
                new BsonDocument("collections", array),
                page.next());
    }

    /// A part of a list, and the cursor of the next one if there is more.
    private ToolResult listed(
            ToolCall call, String summary, BsonDocument data, Optional<VisibleCollections.ListPosition> next) {
        var token = next.map(place -> cursors.next(call, place.toBson()));
        var result = ToolResult.ofNames(
                summary
                        + token.map(text -> ". There may be more. next: \"" + text + "\"")
                                .orElse(""),
                data,
                config.sizes());
        return token.map(text -> result.with("next", new BsonString(text))).orElse(result);
    }

    private BsonDocument described(ToolCall call, VisibleCollections.Visible collection, boolean detailed) {
        var entry = collection.entry();
        var described = object("name", Fence.cut(entry.name()), "kind", entry.kind());
        if (!detailed) {
            return described;
        }
        if (collection
                        .facts()
                        .filter(facts -> VisibleCollections.isWhole(facts.grant()))
                        .isPresent()
                && entry.kind().equals("collection")) {
            calls.countIfAllowed(
                            call, collection.path(), Map.of(DataParameter.COUNT, "estimated"), config.queryTimeLimit())
                    .ifPresent(count -> described.append("documents", new BsonInt64(count)));
        }
        declared(call, collection, "aggrs", Read.RUN).ifPresent(names -> described.append("aggregations", names));
        declared(call, collection, "streams", Read.WATCH).ifPresent(names -> described.append("streams", names));
        return described;
    }

    /// The names of stored aggregations or streams that the caller may use.
    private Optional<BsonArray> declared(
            ToolCall call, VisibleCollections.Visible collection, String property, Read operation) {
        var names = collection.facts().flatMap(DataFacts::properties).stream()
                .flatMap(properties -> NamedEntries.of(properties.get(property)).keySet().stream())
                .filter(name -> calls.facts(
                                call.http(), operation, collection.path(), ResourceUri.encoded(name), call.via())
                        .isPresent())
                .map(Fence::cut)
                .toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(BsonTexts.array(names));
    }

    ToolResult schema(ToolCall call) {
        var fields = new ObservedFields(call.number("depth", 3));
        var page = calls.send(
                call.http(),
                call.request(Read.FIND, calls.collection(call), Map.of())
                        .with(new Answer.Values())
                        .with(JudgedRequest.TIME_LIMIT, config.queryTimeLimit())
                        .with(Slice.KEY, new Slice(0, SAMPLE)));
        try {
            DataBlock.read(page.content(), document -> {
                fields.add(document);
                return true;
            });
        } catch (IOException | RuntimeException e) {
            throw RefusedCall.interrupted(call, e);
        }
        var sources = declared.addTo(fields, call);
        var schema = object(
                "fields", fields.shown(),
                "sample", fields.documents(),
                "more", fields.hasMore(),
                "sources", sources.append("sample", new BsonInt32(fields.documents())));
        return ToolResult.ofNames(
                "Fields of " + call.namespace() + ", from "
                        + (sources.containsKey("validator") ? "its validator, " : "")
                        + (sources.containsKey("storedSchema") ? "its stored schema, " : "")
                        + "a sample of " + fields.documents() + " documents",
                schema,
                config.sizes());
    }

    ToolResult indexes(ToolCall call) {
        var indexes = calls.indexes(call, calls.collection(call)).stream()
                .limit(MAX_INDEXES)
                .map(index -> index(index.asDocument()))
                .collect(Collectors.toCollection(BsonArray::new));
        return ToolResult.ofNames(
                indexes.size() + " indexes of " + call.namespace(),
                new BsonDocument("indexes", indexes),
                config.sizes());
    }

    private static BsonDocument index(BsonDocument specification) {
        var shown = new BsonDocument("name", specification.get("_id", new BsonString("")));
        for (var name :
                List.of("key", "unique", "sparse", "expireAfterSeconds", "weights", "partialFilterExpression")) {
            var value = specification.get(name);
            if (value != null) {
                shown.append(name, value);
            }
        }
        return shown;
    }
}
