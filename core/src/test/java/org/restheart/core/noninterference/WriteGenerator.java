package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/// Generates requests that write: documents, lines, CSV, properties, indexes.
final class WriteGenerator {
    private final RandomSource random;
    private final String collection;
    private final Targets targets;
    private final ValueGenerator values;
    private final FilterGenerator filters;
    private final UpdateGenerator updates;

    /// @param collection its path
    WriteGenerator(
            RandomSource random,
            String collection,
            Targets targets,
            ValueGenerator values,
            FilterGenerator filters,
            UpdateGenerator updates) {
        this.random = random;
        this.collection = collection;
        this.targets = targets;
        this.values = values;
        this.filters = filters;
        this.updates = updates;
    }

    FuzzRequest write() {
        return switch (random.nextInt(40)) {
            case 0, 1, 2 -> mode(Targets.json("POST", collection, identified(updates.content())));
            case 3 ->
                mode(Targets.json(
                        "POST", collection, array(identified(updates.content()), identified(updates.content()))));
            case 4 -> lines();
            case 5, 6, 7, 8, 9, 10 ->
                targets.tagged(mode(Targets.json("PUT", collection + "/" + targets.id(), updates.content())));
            case 11, 12, 13 -> {
                var request = targets.tagged(mode(FuzzRequest.of("DELETE", collection + "/" + targets.id())));
                yield random.percent(50) ? request.with("filter", filters.filter()) : request;
            }
            case 14, 15, 16, 17, 18, 19, 20, 21 ->
                Targets.json("PATCH", collection + "/*", updates.update()).with("filter", filters.filter());
            case 22, 23 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            case 24 -> management();
            case 25 -> csv();
            case 26 ->
                Targets.json(
                        random.pick("PUT", "PATCH"),
                        random.pick("/vault/v0", "/users/" + targets.id()),
                        updates.content());
            default -> {
                var request =
                        targets.tagged(mode(Targets.json("PATCH", collection + "/" + targets.id(), updates.update())));
                yield random.percent(25) ? request.with("filter", filters.filter()) : request;
            }
        };
    }

    /// Says which elements `$[e]` means, where an update has it.
    FuzzRequest selecting(FuzzRequest request) {
        if (!request.method().equals("PATCH")
                || !FuzzRequest.text(request.body()).contains("$[e]")) {
            return request;
        }
        var condition = random.pick(
                document("$gt", values.scalar()),
                document("$lt", values.scalar()),
                document("$ne", values.scalar()),
                document("$exists", BsonBoolean.TRUE));
        return request.with("arrayFilters", array(document(random.pick("e", "e.k", "e.secret"), condition)));
    }

    private FuzzRequest lines() {
        var text = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(_ -> identified(updates.content()).toJson())
                .collect(Collectors.joining("\n"));
        return mode(FuzzRequest.of("POST", collection))
                .withHeader("Content-Type", "application/x-ndjson")
                .withBody(text + "\n");
    }

    BsonDocument identified(BsonDocument content) {
        return random.percent(80) ? content.append("_id", new BsonString(targets.id())) : content;
    }

    private FuzzRequest mode(FuzzRequest request) {
        var changed = random.percent(30) ? request.with("wm", random.pick("insert", "update", "upsert")) : request;
        return random.percent(4) ? changed.with("checkEtag", "") : changed;
    }

    FuzzRequest management() {
        return switch (random.nextInt(14)) {
            case 0 -> FuzzRequest.of("DELETE", collection + "/_indexes/" + random.pick("i1", "i2", "_id_"));
            case 1 -> Targets.json("PUT", collection, document("note", values.scalar()));
            case 2 -> Targets.json("PATCH", collection, document("note", values.scalar()));
            case 3 -> Targets.json("PATCH", collection, document("etagDocPolicy", new BsonString("REQUIRED")));
            case 4 -> FuzzRequest.of("GET", collection + "/_meta");
            case 5 -> FuzzRequest.of("DELETE", collection).withHeader("If-Match", "none");
            case 6 -> FuzzRequest.of(random.pick("GET", "PUT", "DELETE"), collection + "/_validator");
            case 7 ->
                Targets.json(
                        "PATCH",
                        collection,
                        random.pick(
                                document("cacheControl", new BsonString("public, max-age=5")),
                                document("jsonMode", new BsonString("plain")),
                                BsonDocument.parse("{mongo: {collation: {locale: 'en', strength: 1}}}")));
            default -> index();
        };
    }

    private FuzzRequest index() {
        var body = document("keys", document(values.path(), random.pick(new BsonInt32(1), new BsonString("2dsphere"))));
        var options = new BsonDocument();
        if (random.percent(60)) {
            options.put("unique", BsonBoolean.TRUE);
        }
        if (random.percent(50)) {
            options.put("partialFilterExpression", filters.filter());
        }
        if (random.percent(10)) {
            options.put("sparse", BsonBoolean.TRUE);
        }
        return Targets.json("PUT", collection + "/_indexes/" + random.pick("i1", "i2"), body.append("ops", options));
    }

    FuzzRequest csv() {
        boolean quoted = random.percent(30); // as RFC 4180 defines, or unquoted
        var rows = new StringBuilder("_id;x;_filter\n");
        boolean upsert = random.percent(15);
        for (var id : List.of("m0", "m1", "m2", targets.id())) {
            var filter = random.percent(60)
                    ? document("password", document("$regex", new BsonString("^.2a.04.[a-l]")))
                    : filters.filter();
            var cell = quoted ? '"' + filter.toJson().replace("\"", "\"\"") + '"' : filter.toJson();
            rows.append(id)
                    .append(';')
                    .append(random.nextInt(5))
                    .append(';')
                    .append(cell)
                    .append('\n');
        }
        return FuzzRequest.of("POST", "/csv")
                .with("db", "$DB")
                .with("coll", collection.substring(1))
                .with("id", "0")
                .with("sep", ";")
                .with("update", "true")
                .with("upsert", Boolean.toString(upsert))
                .withHeader("Content-Type", "text/csv")
                .withBody(rows.toString());
    }
}
