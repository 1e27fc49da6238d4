package org.restheart.core.noninterference;

import static org.restheart.core.noninterference.ValueGenerator.array;
import static org.restheart.core.noninterference.ValueGenerator.document;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Generates writes of many documents, by every service that has them: often guesses at what fields hold.
///
/// @param collection without a slash
record BulkGenerator(
        RandomSource random,
        ValueGenerator values,
        FilterGenerator filters,
        UpdateGenerator updates,
        String collection) {

    FuzzRequest next() {
        var filter = random.percent(60) ? document("_id", ids()) : filters.filter();
        var update = random.percent(75) ? guess() : updates.update();
        return switch (random.nextInt(8)) {
            case 0, 1 ->
                FuzzRequest.of("PATCH", "/" + collection + "/*")
                        .withBody(update)
                        .with("filter", filter);
            case 2, 3 -> action("updateMany", document("filter", filter).append("update", update));
            case 4 -> action("insertMany", document("documents", array(content(), content())));
            case 5, 6 -> tool("update-many", document("filter", filter).append("update", update));
            default -> tool("insert-many", document("documents", array(content(), content())));
        };
    }

    private BsonDocument ids() {
        return random.percent(50)
                ? document("$eq", new BsonString(random.pick("m0", "m1", "m2", "m3")))
                : document("$in", array(new BsonString("m0"), new BsonString("m1"), new BsonString("h0")));
    }

    /// Sets or removes a field as a whole, which is allowed for hidden ones too.
    private BsonDocument guess() {
        var path = random.pick("secret", "2024", "n.secret", "d.secret", "v", "s", "owner");
        return switch (random.nextInt(4)) {
            case 0 -> document("$unset", document(path, new BsonInt32(1)));
            case 1 -> document("$inc", document(path, values.number()));
            default -> document("$set", document(path, values.scalar()));
        };
    }

    private BsonDocument content() {
        return updates.content().append("_id", new BsonString(random.pick("m0", "new0", "new1", "h0")));
    }

    private FuzzRequest action(String name, BsonDocument members) {
        var body = BsonDocument.parse("{dataSource: 'x'}");
        body.putAll(addressed(members));
        return FuzzRequest.of("POST", "/app/any/endpoint/data/v1/action/" + name)
                .withBody(body);
    }

    private FuzzRequest tool(String name, BsonDocument arguments) {
        var params =
                BsonDocument.parse("""
                {_meta: {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientInfo": {name: "fuzz", version: "1"},
                  "io.modelcontextprotocol/clientCapabilities": {}}}""").append("name", new BsonString(name)).append("arguments", addressed(arguments));
        var body = BsonDocument.parse("{jsonrpc: '2.0', id: 1, method: 'tools/call'}");
        return FuzzRequest.of("POST", "/_mcp")
                .withHeader("MCP-Protocol-Version", "2026-07-28")
                .withHeader("Mcp-Method", "tools/call")
                .withHeader("Mcp-Name", name)
                .withHeader("Accept", "application/json, text/event-stream")
                .withBody(body.append("params", params));
    }

    private BsonDocument addressed(BsonDocument members) {
        BsonValue database = new BsonString("$DB");
        return members.append("database", database).append("collection", new BsonString(collection));
    }
}
