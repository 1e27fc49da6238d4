package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates requests of every kind, most of them to the caller's collection.
final class RequestGenerator {
    /// Sessions belong to an account, so all profiles can use one UUID.
    static final String SESSION = "11111111-2222-4333-8444-555555555555";

    private final RandomSource random;
    private final CallerProfile profile;
    private final String collection;
    private final boolean files;
    private final ValueGenerator values;
    private final FilterGenerator filters;
    private final UpdateGenerator updates;
    private final PipelineGenerator stages;
    private final Targets targets;
    private final ReadGenerator reads;
    private final WriteGenerator writes;
    private final BulkGenerator bulk;

    /// @param files whether the collection is one of files
    RequestGenerator(RandomSource random, CallerProfile profile, int worker, boolean files) {
        this.random = random;
        this.profile = profile;
        this.files = files;
        collection = "/" + profile.collection(worker) + (files ? ".files" : "");
        values = new ValueGenerator(random);
        targets = new Targets(random);
        var expressions = new ExpressionGenerator(random, values);
        filters = new FilterGenerator(random, values, expressions);
        updates = new UpdateGenerator(random, values, filters, expressions);
        stages = new PipelineGenerator(random, values, filters, expressions, collection.substring(1));
        reads = new ReadGenerator(random, profile, collection, targets, values, expressions, filters, stages);
        writes = new WriteGenerator(random, collection, targets, values, filters, updates);
        bulk = new BulkGenerator(random, values, filters, updates, collection.substring(1));
    }

    FuzzRequest next() {
        var request = switch (profile) {
            case READS -> random.percent(80) ? reads.read() : writes.write();
            case PARTS, ANYBODY, ODD -> random.percent(96) ? reads.read() : writes.write();
            case AGGREGATES -> random.percent(60) ? reads.aggregation() : reads.read();
            case MANAGES, INDEXES ->
                random.percent(40) ? writes.management() : random.percent(60) ? reads.read() : writes.write();
            case USERS -> random.percent(20) ? writes.csv() : random.percent(50) ? reads.read() : writes.write();
            case ALIKE -> reads.read();
            case PIPES -> random.percent(70) ? reads.pipeline() : reads.read();
            default -> random.percent(45) ? reads.read() : writes.write();
        };
        if (profile != CallerProfile.ALIKE) {
            if (files && random.percent(25)) {
                request = file();
            } else if (random.percent(5)) {
                request = transaction();
            } else if (random.percent(10)) {
                request = action();
            } else if (random.percent(6)) {
                request = bulk.next();
            }
            if (random.percent(4)) {
                request = request.with("sid", SESSION);
            }
        }
        request = preferring(reads.collated(writes.selecting(request)));
        return random.percent(8) ? malformed(request) : request;
    }

    /// Requests for documents that are carried out together.
    private FuzzRequest transaction() {
        var operations = new BsonArray();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            var request = writes.selecting(random.percent(30) ? reads.read() : writes.write());
            var operation = document("method", new BsonString(request.method()))
                    .append("path", new BsonString(request.target()));
            if (request.body() instanceof BsonValue body) {
                operation.append("body", body);
            }
            var headers = new BsonDocument();
            preferring(request)
                    .headers()
                    .forEach(header -> headers.append(header.name(), new BsonString((String) header.value())));
            operations.add(headers.isEmpty() ? operation : operation.append("headers", headers));
        }
        return Targets.json("POST", "/_transactions", operations);
    }

    /// Bounds or rehearses a write.
    private FuzzRequest preferring(FuzzRequest request) {
        return request.isRead() || random.percent(90)
                ? request
                : request.withHeader(
                        "Prefer",
                        random.pick(
                                "tx=rollback",
                                "tx=rollback, return=representation",
                                "max-affected=1, handling=strict",
                                "max-affected=0"));
    }

    private FuzzRequest file() {
        var path = collection + "/" + targets.id();
        return switch (random.nextInt(8)) {
            case 0 ->
                FuzzRequest.of("GET", path + "/binary").withHeader("Range", random.pick("bytes=0-3", "bytes=-2", "x"));
            case 1 -> FuzzRequest.of("GET", path + "/binary").withHeader("If-None-Match", targets.tag());
            case 2 ->
                targets.tagged(FuzzRequest.of("PUT", path))
                        .withHeader("Content-Type", "text/plain")
                        .withBody(random.pick("content", "x"));
            case 3 ->
                targets.tagged(Targets.json(
                        "PATCH", path, document(random.pick("v", "secret", "owner", "new"), values.value())));
            case 4 -> FuzzRequest.of("DELETE", collection + "/*").with("filter", filters.filter());
            default -> reads.query(FuzzRequest.of("GET", path + "/binary"), 20);
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
        var filter = one || random.percent(20) ? document("_id", new BsonString(targets.id())) : filters.filter();
        switch (name) {
            case "find" -> {
                body.append("filter", filter).append("sort", reads.total());
                if (random.percent(30)) {
                    body.append("projection", reads.keys());
                }
                if (random.percent(30)) {
                    body.append("limit", values.number()).append("skip", values.number());
                }
            }
            case "findOne" -> {
                body.append("filter", filter);
                if (random.percent(30)) {
                    body.append("projection", reads.keys());
                }
            }
            case "aggregate" -> body.append("pipeline", stages.pipeline());
            case "insertOne" -> body.append("document", writes.identified(updates.content()));
            case "insertMany" ->
                body.append(
                        "documents", array(writes.identified(updates.content()), writes.identified(updates.content())));
            case "replaceOne" ->
                body.append("filter", filter)
                        .append("replacement", updates.content())
                        .append("upsert", BsonBoolean.valueOf(random.percent(30)));
            case "updateOne", "updateMany" ->
                body.append("filter", filter)
                        .append("update", updates.update())
                        .append("upsert", BsonBoolean.valueOf(random.percent(20)));
            default -> body.append("filter", filter);
        }
        return FuzzRequest.of("POST", "/app/any/endpoint/data/v1/action/" + name)
                .withBody(body);
    }

    /// A request with an unusual or malformed part.
    private FuzzRequest malformed(FuzzRequest request) {
        return switch (random.nextInt(10)) {
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
            case 7 -> request.withHeader(random.pick("If-Match", "If-None-Match"), targets.tag());
            case 8 -> request.with(random.pick("filter[v]", "avars[x]", "keys[secret]"), "1");
            default -> request.with("nocache", "").with("rep", random.pick("HAL", "zz"));
        };
    }
}
