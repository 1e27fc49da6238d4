package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates requests that read: documents, pages, counts, aggregations, pipelines.
final class ReadGenerator {
    private final RandomSource random;
    private final CallerProfile profile;
    private final String collection;
    private final Targets targets;
    private final ValueGenerator values;
    private final ExpressionGenerator expressions;
    private final FilterGenerator filters;
    private final PipelineGenerator stages;

    /// @param collection its path
    ReadGenerator(
            RandomSource random,
            CallerProfile profile,
            String collection,
            Targets targets,
            ValueGenerator values,
            ExpressionGenerator expressions,
            FilterGenerator filters,
            PipelineGenerator stages) {
        this.random = random;
        this.profile = profile;
        this.collection = collection;
        this.targets = targets;
        this.values = values;
        this.expressions = expressions;
        this.filters = filters;
        this.stages = stages;
    }

    FuzzRequest read() {
        if (profile == CallerProfile.SCHEMED && random.percent(25)) {
            return violations();
        }
        return switch (random.nextInt(40)) {
            case 0, 1, 2, 3, 4, 5 -> embedding(query(FuzzRequest.of("GET", collection + "/" + targets.id()), 30), 15);
            case 6, 7, 8, 9, 10, 11 -> counted(query(FuzzRequest.of("GET", collection + "/_size"), 90));
            case 12 -> FuzzRequest.of("GET", collection + "/_meta");
            case 13 -> represented(FuzzRequest.of("GET", collection + "/_indexes"));
            case 14 -> aggregation();
            case 15, 16 ->
                embedding(sorted(query(FuzzRequest.of("GET", collection), 70)), 20)
                        .withHeader("Accept", random.pick("application/x-ndjson", "text/csv", "application/bson"));
            case 17 ->
                FuzzRequest.of("GET", random.pick("/", "/vault", "/users", "/_size", "/vault/_size", "/vault/v0"));
            case 18 ->
                random.percent(50)
                        ? query(FuzzRequest.of("GET", "/_sessions/" + RequestGenerator.SESSION + "/_txns"), 50)
                        : FuzzRequest.of("GET", collection + "/_streams/" + random.pick("all", "none"));
            case 19 ->
                FuzzRequest.of("GET", collection + "/" + targets.id()).withHeader("If-None-Match", targets.tag());
            default -> page();
        };
    }

    /// Of schemas about fields that are shown, and about hidden ones.
    private FuzzRequest violations() {
        var request = sorted(query(FuzzRequest.of("GET", collection + "/_violations"), 50));
        if (random.percent(80)) {
            request = request.with("schema", random.pick("s", "t", "t", "none"));
        }
        return random.percent(30) ? request.with("pagesize", random.pick("0", "1", "2")) : request;
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
        if (random.percent(10)) {
            request = request.withHeader("If-None-Match", random.pick("$TAG", "*"));
        }
        return embedding(represented(counted(request)), 30);
    }

    private Object hint() {
        return random.pick(
                "_id_", document("_id", new BsonInt32(1)), document("$natural", new BsonInt32(1)), "+v", "s_text");
    }

    private FuzzRequest counted(FuzzRequest request) {
        return random.percent(20) ? request.with("count", random.pick("", "estimated")) : request;
    }

    /// Compares texts in another way, if it is a request of many documents.
    FuzzRequest collated(FuzzRequest request) {
        return random.percent(8)
                ? request.with(
                        "collation",
                        random.pick(
                                BsonDocument.parse("{locale: 'en', strength: 1}"),
                                BsonDocument.parse("{locale: 'en', strength: 2}"),
                                BsonDocument.parse("{locale: 'en', numericOrdering: true}"),
                                BsonDocument.parse("{locale: 'simple'}")))
                : request;
    }

    FuzzRequest represented(FuzzRequest request) {
        var changed = request;
        if (random.percent(15)) {
            changed = changed.with("rep", random.pick("HAL", "SHAL", "S"));
            if (random.percent(50)) {
                changed = changed.with(random.pick("hal", "np"), "f");
            }
        }
        return random.percent(8)
                ? changed.with("jsonMode", random.pick("strict", "extended", "shell", "relaxed", "plain"))
                : changed;
    }

    /// Total orders only, and natural order only with a forced plan: the order of documents that tie is
    /// undefined.
    FuzzRequest sorted(FuzzRequest request) {
        if (random.percent(60)) {
            return request;
        }
        if (random.percent(5)) {
            return request.with("sort", new BsonDocument()).with("hint", document("$natural", new BsonInt32(1)));
        }
        if (random.percent(10)) {
            return request.with(
                    "sort",
                    new BsonDocument("x", document("$meta", new BsonString("textScore")))
                            .append("_id", new BsonInt32(1)));
        }
        var sort = new BsonDocument();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            sort.put(values.path(), new BsonInt32(random.pick(-1, 1)));
        }
        sort.remove("_id");
        return request.with("sort", sort.append("_id", new BsonInt32(random.pick(-1, 1))));
    }

    FuzzRequest query(FuzzRequest request, int chanceOfFilter) {
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

    BsonDocument keys() {
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

    private FuzzRequest embedding(FuzzRequest request, int chance) {
        if (!random.percent(chance)) {
            return request;
        }
        return random.percent(30)
                ? request.with(
                        "embed", random.pick(relationship() + "," + relationship() + "." + relationship(), "one"))
                : request.with("embed", embedded(1));
    }

    private String relationship() {
        return random.pick("one", "many", "back", "held", "path", "deep", "hides", "hidden", "user", "back", "many");
    }

    private BsonDocument embedded(int depth) {
        var all = new BsonDocument();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            var options = new BsonDocument();
            if (random.percent(40)) {
                options.put("filter", filters.filter());
            }
            if (random.percent(25)) {
                options.put("keys", keys());
            }
            if (random.percent(25)) {
                options.put("sort", total());
            }
            if (random.percent(25)) {
                options.put("limit", new BsonInt32(random.pick(1, 2)));
            }
            if (depth < 3 && random.percent(30)) {
                options.put("embed", embedded(depth + 1));
            }
            all.put(relationship(), options);
        }
        return all;
    }

    BsonDocument total() {
        var sort = document(values.path(), new BsonInt32(random.pick(-1, 1)));
        sort.remove("_id");
        return sort.append("_id", new BsonInt32(random.pick(-1, 1)));
    }

    FuzzRequest aggregation() {
        var name = random.pick("all", "by", "key", "label", "sum", profile.readsAccounts() ? "look" : "none");
        var request = represented(FuzzRequest.of("GET", collection + "/_aggrs/" + name));
        if (random.percent(20)) {
            request = request.with(
                    random.pick("x", "key", "label", "@user"),
                    random.pick("1", "red", "$secret", "$$ROOT", "{\"$ne\":1}", "[1]"));
        }
        if (random.percent(80)) {
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
            case 3 -> new BsonRegularExpression("^[0-4]", "");
            case 4 -> document(random.pick("$gt", "$exists", "$literal"), values.scalar());
            case 5 -> array(values.scalar());
            default -> values.value();
        };
    }

    FuzzRequest pipeline() {
        return Targets.json("POST", collection + "/_aggrs", document("stages", stages.pipeline()));
    }
}
