package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.Dice.array;
import static org.restheart.core.noninterference.Dice.document;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Requests of every kind, most of them on the caller's collection.
final class Requests {
    /// Any UUID names a session of the caller's own.
    private static final String SESSION = "11111111-2222-4333-8444-555555555555";

    private final Dice dice;
    private final Profile profile;
    private final String collection;
    private final boolean files;
    private final Values values;
    private final Expressions expressions;
    private final Filters filters;
    private final Updates updates;

    /// @param files whether the collection is one of files
    Requests(Dice dice, Profile profile, int worker, boolean files) {
        this.dice = dice;
        this.profile = profile;
        this.files = files;
        collection = "/" + profile.collection(worker) + (files ? ".files" : "");
        values = new Values(dice);
        expressions = new Expressions(dice, values);
        filters = new Filters(dice, values, expressions);
        updates = new Updates(dice, values, filters, expressions);
    }

    FuzzRequest next() {
        var request = switch (profile) {
            case READS -> dice.percent(80) ? read() : write();
            case PARTS, ANYBODY, ODD -> dice.percent(96) ? read() : write();
            case AGGREGATES -> dice.percent(60) ? aggregation() : read();
            case MANAGES, INDEXES -> dice.percent(40) ? management() : dice.percent(60) ? read() : write();
            case USERS -> dice.percent(20) ? csv() : dice.percent(50) ? read() : write();
            case ALIKE -> read();
            case PIPES -> dice.percent(70) ? pipeline() : read();
            default -> dice.percent(45) ? read() : write();
        };
        if (profile != Profile.ALIKE) {
            if (files && dice.percent(25)) {
                request = file();
            } else if (dice.percent(10)) {
                request = action();
            }
            if (dice.percent(4)) {
                request = request.with("sid", SESSION);
            }
        }
        return dice.percent(8) ? odd(request) : request;
    }

    private FuzzRequest file() {
        var path = collection + "/" + id();
        return switch (dice.below(8)) {
            case 0 ->
                FuzzRequest.of("GET", path + "/binary").withHeader("Range", dice.of("bytes=0-3", "bytes=-2", "x"));
            case 1 -> FuzzRequest.of("GET", path + "/binary").withHeader("If-None-Match", tag());
            case 2 ->
                tagged(FuzzRequest.of("PUT", path))
                        .withHeader("Content-Type", "text/plain")
                        .withBody(dice.of("content", "x"));
            case 3 -> tagged(json("PATCH", path, document(dice.of("v", "secret", "owner", "new"), values.value())));
            case 4 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            default -> query(FuzzRequest.of("GET", path + "/binary"), 20);
        };
    }

    /// By the Atlas Data API.
    private FuzzRequest action() {
        var name = dice.of(
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
        boolean one = name.endsWith("One") && dice.percent(80);
        var filter = one || dice.percent(20) ? document("_id", new BsonString(id())) : filters.filter();
        switch (name) {
            case "find" -> {
                body.append("filter", filter).append("sort", total());
                if (dice.percent(30)) {
                    body.append("projection", keys());
                }
                if (dice.percent(30)) {
                    body.append("limit", values.number()).append("skip", values.number());
                }
            }
            case "findOne" -> {
                body.append("filter", filter);
                if (dice.percent(30)) {
                    body.append("projection", keys());
                }
            }
            case "aggregate" -> body.append("pipeline", stages());
            case "insertOne" -> body.append("document", identified(updates.content()));
            case "insertMany" ->
                body.append("documents", array(identified(updates.content()), identified(updates.content())));
            case "replaceOne" ->
                body.append("filter", filter)
                        .append("replacement", updates.content())
                        .append("upsert", org.bson.BsonBoolean.valueOf(dice.percent(30)));
            case "updateOne", "updateMany" ->
                body.append("filter", filter)
                        .append("update", updates.update())
                        .append("upsert", org.bson.BsonBoolean.valueOf(dice.percent(20)));
            default -> body.append("filter", filter);
        }
        return FuzzRequest.of("POST", "/app/any/endpoint/data/v1/action/" + name)
                .withBody(body);
    }

    private FuzzRequest pipeline() {
        return json("POST", collection + "/_aggrs", document("stages", stages()));
    }

    private BsonArray stages() {
        var stages = array(document("$sort", document("_id", new BsonInt32(1))));
        for (int i = 1 + dice.below(3); i > 0; i--) {
            stages.add(stage());
        }
        return stages;
    }

    private BsonDocument stage() {
        return switch (dice.below(14)) {
            case 0, 1, 2, 3 -> document("$match", filters.filter());
            case 4 -> document("$set", document(dice.of("x", "v", "_id"), expressions.expression()));
            case 5 -> document("$project", document(dice.of("x", "v"), expressions.expression()));
            case 6 -> document("$unset", new BsonString(values.path()));
            case 7 -> document("$replaceWith", expressions.expression());
            case 8 ->
                document(
                        "$group",
                        document("_id", BsonNull.VALUE)
                                .append("x", document(dice.of("$sum", "$max", "$push"), expressions.expression())));
            case 9 -> document("$count", new BsonString("n"));
            case 10 -> document("$unwind", new BsonString("$" + values.path()));
            case 11 -> document("$facet", document("f", array(document("$match", filters.filter()))));
            case 12 -> document(dice.of("$limit", "$skip"), values.number());
            default ->
                BsonDocument.parse("{$lookup: {from: '%s', pipeline: [], as: 'x'}}"
                        .formatted(dice.of("users", "vault", "_properties", collection.substring(1))));
        };
    }

    private BsonDocument total() {
        var sort = document(values.path(), new BsonInt32(dice.of(-1, 1)));
        sort.remove("_id");
        return sort.append("_id", new BsonInt32(dice.of(-1, 1)));
    }

    private FuzzRequest read() {
        return switch (dice.below(40)) {
            case 0, 1, 2, 3, 4, 5 -> query(FuzzRequest.of("GET", collection + "/" + id()), 30);
            case 6, 7, 8, 9, 10, 11 -> counted(query(FuzzRequest.of("GET", collection + "/_size"), 90));
            case 12 -> FuzzRequest.of("GET", collection + "/_meta");
            case 13 -> represented(FuzzRequest.of("GET", collection + "/_indexes"));
            case 14 -> aggregation();
            case 15, 16 ->
                sorted(query(FuzzRequest.of("GET", collection), 70))
                        .withHeader("Accept", dice.of("application/x-ndjson", "text/csv", "application/bson"));
            case 17 -> FuzzRequest.of("GET", dice.of("/", "/vault", "/users", "/_size", "/vault/_size", "/vault/v0"));
            case 18 -> FuzzRequest.of("GET", collection + "/_streams/" + dice.of("all", "none"));
            case 19 -> FuzzRequest.of("GET", collection + "/" + id()).withHeader("If-None-Match", tag());
            default -> page();
        };
    }

    private FuzzRequest page() {
        var request = sorted(query(FuzzRequest.of("GET", collection), 75));
        if (dice.percent(40)) {
            request = request.with("pagesize", dice.of("0", "1", "2", "3", "100"));
        }
        if (dice.percent(25)) {
            request = request.with("page", dice.of("1", "2", "3"));
        } else if (dice.percent(10)) {
            request = request.with("after", "$AFTER");
        }
        if (dice.percent(15)) {
            request = request.with("cache", "");
        }
        if (dice.percent(10)) {
            request = request.with("eager", dice.of("none", "linear", "random"));
        }
        if (dice.percent(10)) {
            request = request.with("hint", hint());
        }
        return represented(counted(request));
    }

    private Object hint() {
        return dice.of(
                "_id_", document("_id", new BsonInt32(1)), document("$natural", new BsonInt32(1)), "+v", "s_text");
    }

    private FuzzRequest counted(FuzzRequest request) {
        return dice.percent(20) ? request.with("count", dice.of("", "estimated")) : request;
    }

    private FuzzRequest represented(FuzzRequest request) {
        var changed = request;
        if (dice.percent(15)) {
            changed = changed.with("rep", dice.of("HAL", "SHAL", "S"));
            if (dice.percent(50)) {
                changed = changed.with(dice.of("hal", "np"), "f");
            }
        }
        return dice.percent(8) ? changed.with("jsonMode", dice.of("strict", "extended", "shell", "relaxed")) : changed;
    }

    /// Total orders only, and natural order only where there is one plan: documents that tie come in no order.
    private FuzzRequest sorted(FuzzRequest request) {
        if (dice.percent(60)) {
            return request;
        }
        if (dice.percent(5)) {
            return request.with("sort", new BsonDocument()).with("hint", document("$natural", new BsonInt32(1)));
        }
        var sort = new BsonDocument();
        for (int i = 1 + dice.below(2); i > 0; i--) {
            sort.put(values.path(), new BsonInt32(dice.of(-1, 1)));
        }
        sort.remove("_id");
        return request.with("sort", sort.append("_id", new BsonInt32(dice.of(-1, 1))));
    }

    private FuzzRequest query(FuzzRequest request, int chanceOfFilter) {
        var changed = request;
        if (dice.percent(chanceOfFilter)) {
            changed = changed.with("filter", filters.filter());
            if (dice.percent(10)) {
                changed = changed.with("filter", filters.filter());
            }
        }
        if (dice.percent(20)) {
            changed = changed.with("keys", keys());
        }
        if (dice.percent(2)) {
            changed = changed.with("shardkey", document(values.field(), values.scalar()));
        }
        return changed;
    }

    private BsonDocument keys() {
        return switch (dice.below(8)) {
            case 0, 1, 2 -> document(values.path(), new BsonInt32(dice.of(0, 1)));
            case 3, 4, 5 -> document(dice.of("x", "v", "s"), expressions.expression());
            case 6 ->
                document(
                        values.field(),
                        dice.of(
                                document("$slice", values.number()),
                                document("$elemMatch", document(dice.of("k", "secret"), values.scalar())),
                                document("$meta", new BsonString(dice.of("textScore", "indexKey", "recordId")))));
            default -> document("n.$", new BsonInt32(1));
        };
    }

    private FuzzRequest write() {
        return switch (dice.below(40)) {
            case 0, 1, 2 -> mode(json("POST", collection, identified(updates.content())));
            case 3 ->
                mode(json("POST", collection, array(identified(updates.content()), identified(updates.content()))));
            case 4 -> lines();
            case 5, 6, 7, 8, 9, 10 -> tagged(mode(json("PUT", collection + "/" + id(), updates.content())));
            case 11, 12, 13 -> {
                var request = tagged(mode(FuzzRequest.of("DELETE", collection + "/" + id())));
                yield dice.percent(50) ? request.with("filter", filters.filter()) : request;
            }
            case 14, 15, 16, 17, 18, 19, 20, 21 ->
                json("PATCH", collection + "/*", updates.update()).with("filter", filters.filter());
            case 22, 23 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            case 24 -> management();
            case 25 -> csv();
            case 26 -> json(dice.of("PUT", "PATCH"), dice.of("/vault/v0", "/users/" + id()), updates.content());
            default -> {
                var request = tagged(mode(json("PATCH", collection + "/" + id(), updates.update())));
                yield dice.percent(25) ? request.with("filter", filters.filter()) : request;
            }
        };
    }

    private FuzzRequest lines() {
        var text = IntStream.range(0, 1 + dice.below(3))
                .mapToObj(_ -> identified(updates.content()).toJson())
                .collect(Collectors.joining("\n"));
        return mode(FuzzRequest.of("POST", collection))
                .withHeader("Content-Type", "application/x-ndjson")
                .withBody(text + "\n");
    }

    private BsonDocument identified(BsonDocument content) {
        return dice.percent(80) ? content.append("_id", new BsonString(id())) : content;
    }

    private static FuzzRequest json(String method, String path, BsonValue body) {
        return FuzzRequest.of(method, path).withBody(body);
    }

    private FuzzRequest mode(FuzzRequest request) {
        var changed = dice.percent(30) ? request.with("wm", dice.of("insert", "update", "upsert")) : request;
        return dice.percent(4) ? changed.with("checkEtag", "") : changed;
    }

    private FuzzRequest tagged(FuzzRequest request) {
        return dice.percent(20) ? request.withHeader("If-Match", tag()) : request;
    }

    private String tag() {
        return dice.of(
                "$TAG", Scene.tag(1 + dice.below(5)), Scene.tag(20 + dice.below(3)), Scene.tag(40 + dice.below(3)));
    }

    private FuzzRequest aggregation() {
        var name = dice.of("all", "by", "key", "label", "sum", profile.readsAccounts() ? "look" : "none");
        var request = represented(FuzzRequest.of("GET", collection + "/_aggrs/" + name));
        if (dice.percent(85)) {
            request = request.with("avars", variables());
        }
        return dice.percent(10) ? query(request, 50) : request;
    }

    private BsonDocument variables() {
        return document(dice.of("x", "key", "label"), variable())
                .append(dice.of("x", "key", "label", "@user", "@mongoPermissions.readFilter"), variable());
    }

    /// Never null, which is what the author's `key` is where there is none.
    private BsonValue variable() {
        var value = anyVariable();
        return value.isNull() ? new BsonInt32(0) : value;
    }

    private BsonValue anyVariable() {
        return switch (dice.below(8)) {
            case 0 ->
                BsonDocument.parse("{\"v\": {\"$regex\": \"^[0-4]\", \"$options\": \"\"}}")
                        .get("v");
            case 1 -> document("$ne", values.scalar());
            case 2 -> new BsonString(dice.of("$$ROOT", "$secret", "$v", "$$CURRENT.secret", "$n"));
            case 3 -> new org.bson.BsonRegularExpression("^[0-4]", "");
            case 4 -> document(dice.of("$gt", "$exists", "$literal"), values.scalar());
            case 5 -> array(values.scalar());
            default -> values.value();
        };
    }

    private FuzzRequest management() {
        return switch (dice.below(12)) {
            case 0 -> FuzzRequest.of("DELETE", collection + "/_indexes/" + dice.of("i1", "i2", "_id_"));
            case 1 -> json("PUT", collection, document("note", values.scalar()));
            case 2 -> json("PATCH", collection, document("note", values.scalar()));
            case 3 -> json("PATCH", collection, document("etagDocPolicy", new BsonString("REQUIRED")));
            case 4 -> FuzzRequest.of("GET", collection + "/_meta");
            case 5 -> FuzzRequest.of("DELETE", collection).withHeader("If-Match", "none");
            default -> index();
        };
    }

    private FuzzRequest index() {
        var body = document("keys", document(values.path(), dice.of(new BsonInt32(1), new BsonString("2dsphere"))));
        var options = new BsonDocument();
        if (dice.percent(60)) {
            options.put("unique", org.bson.BsonBoolean.TRUE);
        }
        if (dice.percent(50)) {
            options.put("partialFilterExpression", filters.filter());
        }
        if (dice.percent(10)) {
            options.put("sparse", org.bson.BsonBoolean.TRUE);
        }
        return json("PUT", collection + "/_indexes/" + dice.of("i1", "i2"), body.append("ops", options));
    }

    private FuzzRequest csv() {
        boolean quoted = dice.percent(30); // as RFC 4180 has it, or with single quotes within
        var rows = new StringBuilder("_id;x;_filter\n");
        boolean upsert = dice.percent(15);
        for (var id : List.of("m0", "m1", "m2", id())) {
            var filter = dice.percent(60)
                    ? document("password", document("$regex", new BsonString("^.2a.04.[a-l]")))
                    : filters.filter();
            var cell = quoted ? '"' + filter.toJson().replace("\"", "\"\"") + '"' : filter.toJson();
            rows.append(id)
                    .append(';')
                    .append(dice.below(5))
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
        return dice.percent(70)
                ? dice.of("m0", "m1", "m2", "m3")
                : dice.of("h0", "h1", "h2", "new0", "new1", "missing");
    }

    /// Something that hardly anybody sends.
    private FuzzRequest odd(FuzzRequest request) {
        return switch (dice.below(9)) {
            case 0 -> request.with(dice.of("filter", "keys", "sort", "avars"), dice.of("{", "x", "", "[1]", "{\"a\":"));
            case 1 -> request.with(dice.of("page", "pagesize"), dice.of("-1", "a", "99999999999", "1001"));
            case 2 -> request.with("id_type", dice.of("NUMBER", "OID", "STRING", "NULL", "x"));
            case 3 -> request.with(dice.of("sid", "txn"), dice.of("x", "00000000-0000-0000-0000-000000000000"));
            case 4 -> request.with(dice.of("readConcern", "readPreference", "writeConcern"), dice.of("majority", "x"));
            case 5 -> request.withBody(dice.of("{", "[1]", "{\"a\":", "x", "{\"_id\":\"h0\",\"_id\":\"m0\"}"));
            case 6 ->
                new FuzzRequest(
                        dice.of("HEAD", "OPTIONS", "POST", "PATCH"),
                        request.path(),
                        request.parameters(),
                        request.headers(),
                        request.body());
            case 7 -> request.withHeader(dice.of("If-Match", "If-None-Match"), tag());
            default -> request.with("nocache", "").with("rep", dice.of("HAL", "zz"));
        };
    }

    /// Aggregations that every collection has.
    static List<BsonDocument> aggregations() {
        return List.of(
                aggregation(
                        "all",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$project: {secret: 0}},"
                                + " {$sort: {_id: 1}}]"),
                aggregation(
                        "by",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$match: {v: {$var: ['x', 1]}}},"
                                + " {$project: {secret: 0}}, {$sort: {_id: 1}}]"),
                aggregation("key", "[{$match: {key: {$var: 'key'}}}, {$project: {_id: 1}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "label",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}},"
                                + " {$project: {open: 1, label: {$var: 'label'}}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "look",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$lookup: {from: 'users',"
                                + " localField: 'none', foreignField: 'none', as: 'u'}}, {$project: {u: 1}}, {$sort: {_id: 1}}]"),
                aggregation(
                        "sum",
                        "[{$match: {$var: '@mongoPermissions.readFilter'}}, {$match: {$expr: {$eq: [{$toInt:"
                                + " '$v'}, {$var: ['x', 1]}]}}}, {$project: {open: 1}}, {$sort: {_id: 1}}]"));
    }

    private static BsonDocument aggregation(String uri, String stages) {
        return BsonDocument.parse("{uri: '" + uri + "', type: 'pipeline'}")
                .append("stages", BsonDocument.parse("{s: " + stages + "}").get("s"));
    }
}
