package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates requests of every kind, most of them to the caller's collection.
final class RequestGenerator {
    /// Sessions belong to an account, so all profiles can use one UUID.
    private static final String SESSION = "11111111-2222-4333-8444-555555555555";

    private final RandomSource random;
    private final CallerProfile profile;
    private final String collection;
    private final boolean files;
    private final ValueGenerator values;
    private final ExpressionGenerator expressions;
    private final FilterGenerator filters;
    private final UpdateGenerator updates;
    private final PipelineGenerator stages;
    private final BulkGenerator bulk;

    /// @param files whether the collection is one of files
    RequestGenerator(RandomSource random, CallerProfile profile, int worker, boolean files) {
        this.random = random;
        this.profile = profile;
        this.files = files;
        collection = "/" + profile.collection(worker) + (files ? ".files" : "");
        values = new ValueGenerator(random);
        expressions = new ExpressionGenerator(random, values);
        filters = new FilterGenerator(random, values, expressions);
        updates = new UpdateGenerator(random, values, filters, expressions);
        stages = new PipelineGenerator(random, values, filters, expressions, collection.substring(1));
        bulk = new BulkGenerator(random, values, filters, updates, collection.substring(1));
    }

    FuzzRequest next() {
        var request = switch (profile) {
            case READS -> random.percent(80) ? read() : write();
            case PARTS, ANYBODY, ODD -> random.percent(96) ? read() : write();
            case AGGREGATES -> random.percent(60) ? aggregation() : read();
            case MANAGES, INDEXES -> random.percent(40) ? management() : random.percent(60) ? read() : write();
            case USERS -> random.percent(20) ? csv() : random.percent(50) ? read() : write();
            case ALIKE -> read();
            case PIPES -> random.percent(70) ? pipeline() : read();
            default -> random.percent(45) ? read() : write();
        };
        if (profile != CallerProfile.ALIKE) {
            if (files && random.percent(25)) {
                request = file();
            } else if (random.percent(10)) {
                request = action();
            } else if (random.percent(6)) {
                request = bulk.next();
            }
            if (random.percent(4)) {
                request = request.with("sid", SESSION);
            }
        }
        return random.percent(8) ? malformed(request) : request;
    }

    private FuzzRequest file() {
        var path = collection + "/" + id();
        return switch (random.nextInt(8)) {
            case 0 ->
                FuzzRequest.of("GET", path + "/binary").withHeader("Range", random.pick("bytes=0-3", "bytes=-2", "x"));
            case 1 -> FuzzRequest.of("GET", path + "/binary").withHeader("If-None-Match", tag());
            case 2 ->
                tagged(FuzzRequest.of("PUT", path))
                        .withHeader("Content-Type", "text/plain")
                        .withBody(random.pick("content", "x"));
            case 3 -> tagged(json("PATCH", path, document(random.pick("v", "secret", "owner", "new"), values.value())));
            case 4 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            default -> query(FuzzRequest.of("GET", path + "/binary"), 20);
        };
    }

    /// An action of the Atlas Data API.
    private FuzzRequest action() {
        var name = random.pick(
                "find",
                "findOne",
                "aggregate",
                "insertOne",
                "insertMany",
                "updateOne",
                "updateMany",
                "replaceOne",
                "deleteOne",
                "deleteMany");
        var body = BsonDocument.parse("{dataSource: 'x', database: '$DB'}")
                .append("collection", new BsonString(collection.substring(1)));
        boolean one = name.endsWith("One") && random.percent(80);
        var filter = one || random.percent(20) ? document("_id", new BsonString(id())) : filters.filter();
        switch (name) {
            case "find" -> {
                body.append("filter", filter).append("sort", total());
                if (random.percent(30)) {
                    body.append("projection", keys());
                }
                if (random.percent(30)) {
                    body.append("limit", values.number()).append("skip", values.number());
                }
            }
            case "findOne" -> {
                body.append("filter", filter);
                if (random.percent(30)) {
                    body.append("projection", keys());
                }
            }
            case "aggregate" -> body.append("pipeline", stages.pipeline());
            case "insertOne" -> body.append("document", identified(updates.content()));
            case "insertMany" ->
                body.append("documents", array(identified(updates.content()), identified(updates.content())));
            case "replaceOne" ->
                body.append("filter", filter)
                        .append("replacement", updates.content())
                        .append("upsert", org.bson.BsonBoolean.valueOf(random.percent(30)));
            case "updateOne", "updateMany" ->
                body.append("filter", filter)
                        .append("update", updates.update())
                        .append("upsert", org.bson.BsonBoolean.valueOf(random.percent(20)));
            default -> body.append("filter", filter);
        }
        return FuzzRequest.of("POST", "/app/any/endpoint/data/v1/action/" + name)
                .withBody(body);
    }

    private FuzzRequest pipeline() {
        return json("POST", collection + "/_aggrs", document("stages", stages.pipeline()));
    }

    private BsonDocument total() {
        var sort = document(values.path(), new BsonInt32(random.pick(-1, 1)));
        sort.remove("_id");
        return sort.append("_id", new BsonInt32(random.pick(-1, 1)));
    }

    /// Of schemas about fields that are shown, and about hidden ones.
    private FuzzRequest violations() {
        var request = sorted(query(FuzzRequest.of("GET", collection + "/_violations"), 50));
        if (random.percent(80)) {
            request = request.with("schema", random.pick("s", "t", "t", "none"));
        }
        return random.percent(30) ? request.with("pagesize", random.pick("0", "1", "2")) : request;
    }

    private FuzzRequest read() {
        if (profile == CallerProfile.SCHEMED && random.percent(25)) {
            return violations();
        }
        return switch (random.nextInt(40)) {
            case 0, 1, 2, 3, 4, 5 -> query(FuzzRequest.of("GET", collection + "/" + id()), 30);
            case 6, 7, 8, 9, 10, 11 -> counted(query(FuzzRequest.of("GET", collection + "/_size"), 90));
            case 12 -> FuzzRequest.of("GET", collection + "/_meta");
            case 13 -> represented(FuzzRequest.of("GET", collection + "/_indexes"));
            case 14 -> aggregation();
            case 15, 16 ->
                sorted(query(FuzzRequest.of("GET", collection), 70))
                        .withHeader("Accept", random.pick("application/x-ndjson", "text/csv", "application/bson"));
            case 17 ->
                FuzzRequest.of("GET", random.pick("/", "/vault", "/users", "/_size", "/vault/_size", "/vault/v0"));
            case 18 -> FuzzRequest.of("GET", collection + "/_streams/" + random.pick("all", "none"));
            case 19 -> FuzzRequest.of("GET", collection + "/" + id()).withHeader("If-None-Match", tag());
            default -> page();
        };
    }

    private FuzzRequest page() {
        var request = sorted(query(FuzzRequest.of("GET", collection), 75));
        if (random.percent(40)) {
            request = request.with("pagesize", random.pick("0", "1", "2", "3", "100"));
        }
        if (random.percent(25)) {
            request = request.with("page", random.pick("1", "2", "3"));
        } else if (random.percent(10)) {
            request = request.with("after", "$AFTER");
        }
        if (random.percent(15)) {
            request = request.with("cache", "");
        }
        if (random.percent(10)) {
            request = request.with("eager", random.pick("none", "linear", "random"));
        }
        if (random.percent(10)) {
            request = request.with("hint", hint());
        }
        return represented(counted(request));
    }

    private Object hint() {
        return random.pick(
                "_id_", document("_id", new BsonInt32(1)), document("$natural", new BsonInt32(1)), "+v", "s_text");
    }

    private FuzzRequest counted(FuzzRequest request) {
        return random.percent(20) ? request.with("count", random.pick("", "estimated")) : request;
    }

    private FuzzRequest represented(FuzzRequest request) {
        var changed = request;
        if (random.percent(15)) {
            changed = changed.with("rep", random.pick("HAL", "SHAL", "S"));
            if (random.percent(50)) {
                changed = changed.with(random.pick("hal", "np"), "f");
            }
        }
        return random.percent(8)
                ? changed.with("jsonMode", random.pick("strict", "extended", "shell", "relaxed"))
                : changed;
    }

    /// Total orders only, and natural order only with a forced plan: the order of documents that tie is undefined.
    private FuzzRequest sorted(FuzzRequest request) {
        if (random.percent(60)) {
            return request;
        }
        if (random.percent(5)) {
            return request.with("sort", new BsonDocument()).with("hint", document("$natural", new BsonInt32(1)));
        }
        var sort = new BsonDocument();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            sort.put(values.path(), new BsonInt32(random.pick(-1, 1)));
        }
        sort.remove("_id");
        return request.with("sort", sort.append("_id", new BsonInt32(random.pick(-1, 1))));
    }

    private FuzzRequest query(FuzzRequest request, int chanceOfFilter) {
        var changed = request;
        if (random.percent(chanceOfFilter)) {
            changed = changed.with("filter", filters.filter());
            if (random.percent(10)) {
                changed = changed.with("filter", filters.filter());
            }
        }
        if (random.percent(20)) {
            changed = changed.with("keys", keys());
        }
        if (random.percent(2)) {
            changed = changed.with("shardkey", document(values.field(), values.scalar()));
        }
        return changed;
    }

    private BsonDocument keys() {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> document(values.path(), new BsonInt32(random.pick(0, 1)));
            case 3, 4, 5 -> document(random.pick("x", "v", "s"), expressions.expression());
            case 6 ->
                document(
                        values.field(),
                        random.pick(
                                document("$slice", values.number()),
                                document("$elemMatch", document(random.pick("k", "secret"), values.scalar())),
                                document("$meta", new BsonString(random.pick("textScore", "indexKey", "recordId")))));
            default -> document("n.$", new BsonInt32(1));
        };
    }

    private FuzzRequest write() {
        return switch (random.nextInt(40)) {
            case 0, 1, 2 -> mode(json("POST", collection, identified(updates.content())));
            case 3 ->
                mode(json("POST", collection, array(identified(updates.content()), identified(updates.content()))));
            case 4 -> lines();
            case 5, 6, 7, 8, 9, 10 -> tagged(mode(json("PUT", collection + "/" + id(), updates.content())));
            case 11, 12, 13 -> {
                var request = tagged(mode(FuzzRequest.of("DELETE", collection + "/" + id())));
                yield random.percent(50) ? request.with("filter", filters.filter()) : request;
            }
            case 14, 15, 16, 17, 18, 19, 20, 21 ->
                json("PATCH", collection + "/*", updates.update()).with("filter", filters.filter());
            case 22, 23 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            case 24 -> management();
            case 25 -> csv();
            case 26 -> json(random.pick("PUT", "PATCH"), random.pick("/vault/v0", "/users/" + id()), updates.content());
            default -> {
                var request = tagged(mode(json("PATCH", collection + "/" + id(), updates.update())));
                yield random.percent(25) ? request.with("filter", filters.filter()) : request;
            }
        };
    }

    private FuzzRequest lines() {
        var text = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(_ -> identified(updates.content()).toJson())
                .collect(Collectors.joining("\n"));
        return mode(FuzzRequest.of("POST", collection))
                .withHeader("Content-Type", "application/x-ndjson")
                .withBody(text + "\n");
    }

    private BsonDocument identified(BsonDocument content) {
        return random.percent(80) ? content.append("_id", new BsonString(id())) : content;
    }

    private static FuzzRequest json(String method, String path, BsonValue body) {
        return FuzzRequest.of(method, path).withBody(body);
    }

    private FuzzRequest mode(FuzzRequest request) {
        var changed = random.percent(30) ? request.with("wm", random.pick("insert", "update", "upsert")) : request;
        return random.percent(4) ? changed.with("checkEtag", "") : changed;
    }

    private FuzzRequest tagged(FuzzRequest request) {
        return random.percent(20) ? request.withHeader("If-Match", tag()) : request;
    }

    private String tag() {
        return random.pick(
                "$TAG",
                InitialState.tag(1 + random.nextInt(5)),
                InitialState.tag(20 + random.nextInt(3)),
                InitialState.tag(40 + random.nextInt(3)));
    }

    private FuzzRequest aggregation() {
        var name = random.pick("all", "by", "key", "label", "sum", profile.readsAccounts() ? "look" : "none");
        var request = represented(FuzzRequest.of("GET", collection + "/_aggrs/" + name));
        if (random.percent(85)) {
            request = request.with("avars", variables());
        }
        return random.percent(10) ? query(request, 50) : request;
    }

    private BsonDocument variables() {
        return document(random.pick("x", "key", "label"), variable())
                .append(random.pick("x", "key", "label", "@user", "@mongoPermissions.readFilter"), variable());
    }

    /// Never null, which would equal a missing `key`.
    private BsonValue variable() {
        var value = anyVariable();
        return value.isNull() ? new BsonInt32(0) : value;
    }

    private BsonValue anyVariable() {
        return switch (random.nextInt(8)) {
            case 0 ->
                BsonDocument.parse("{\"v\": {\"$regex\": \"^[0-4]\", \"$options\": \"\"}}")
                        .get("v");
            case 1 -> document("$ne", values.scalar());
            case 2 -> new BsonString(random.pick("$$ROOT", "$secret", "$v", "$$CURRENT.secret", "$n"));
            case 3 -> new org.bson.BsonRegularExpression("^[0-4]", "");
            case 4 -> document(random.pick("$gt", "$exists", "$literal"), values.scalar());
            case 5 -> array(values.scalar());
            default -> values.value();
        };
    }

    private FuzzRequest management() {
        return switch (random.nextInt(12)) {
            case 0 -> FuzzRequest.of("DELETE", collection + "/_indexes/" + random.pick("i1", "i2", "_id_"));
            case 1 -> json("PUT", collection, document("note", values.scalar()));
            case 2 -> json("PATCH", collection, document("note", values.scalar()));
            case 3 -> json("PATCH", collection, document("etagDocPolicy", new BsonString("REQUIRED")));
            case 4 -> FuzzRequest.of("GET", collection + "/_meta");
            case 5 -> FuzzRequest.of("DELETE", collection).withHeader("If-Match", "none");
            case 6 -> FuzzRequest.of(random.pick("GET", "PUT", "DELETE"), collection + "/_validator");
            default -> index();
        };
    }

    private FuzzRequest index() {
        var body = document("keys", document(values.path(), random.pick(new BsonInt32(1), new BsonString("2dsphere"))));
        var options = new BsonDocument();
        if (random.percent(60)) {
            options.put("unique", org.bson.BsonBoolean.TRUE);
        }
        if (random.percent(50)) {
            options.put("partialFilterExpression", filters.filter());
        }
        if (random.percent(10)) {
            options.put("sparse", org.bson.BsonBoolean.TRUE);
        }
        return json("PUT", collection + "/_indexes/" + random.pick("i1", "i2"), body.append("ops", options));
    }

    private FuzzRequest csv() {
        boolean quoted = random.percent(30); // as RFC 4180 defines, or unquoted
        var rows = new StringBuilder("_id;x;_filter\n");
        boolean upsert = random.percent(15);
        for (var id : List.of("m0", "m1", "m2", id())) {
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

    private String id() {
        return random.percent(70)
                ? random.pick("m0", "m1", "m2", "m3")
                : random.pick("h0", "h1", "h2", "new0", "new1", "missing");
    }

    /// A request with an unusual or malformed part.
    private FuzzRequest malformed(FuzzRequest request) {
        return switch (random.nextInt(9)) {
            case 0 ->
                request.with(
                        random.pick("filter", "keys", "sort", "avars"), random.pick("{", "x", "", "[1]", "{\"a\":"));
            case 1 -> request.with(random.pick("page", "pagesize"), random.pick("-1", "a", "99999999999", "1001"));
            case 2 -> request.with("id_type", random.pick("NUMBER", "OID", "STRING", "NULL", "x"));
            case 3 -> request.with(random.pick("sid", "txn"), random.pick("x", "00000000-0000-0000-0000-000000000000"));
            case 4 ->
                request.with(
                        random.pick("readConcern", "readPreference", "writeConcern"), random.pick("majority", "x"));
            case 5 -> request.withBody(random.pick("{", "[1]", "{\"a\":", "x", "{\"_id\":\"h0\",\"_id\":\"m0\"}"));
            case 6 ->
                new FuzzRequest(
                        random.pick("HEAD", "OPTIONS", "POST", "PATCH"),
                        request.path(),
                        request.parameters(),
                        request.headers(),
                        request.body());
            case 7 -> request.withHeader(random.pick("If-Match", "If-None-Match"), tag());
            default -> request.with("nocache", "").with("rep", random.pick("HAL", "zz"));
        };
    }
}
