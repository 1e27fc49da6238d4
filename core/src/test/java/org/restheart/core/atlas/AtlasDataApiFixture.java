package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway with the Atlas Data API, and requests for its actions.
@WithMongo
abstract class AtlasDataApiFixture {
    static final String TASK = "{_id: {$oid: '6193504e1be4ab27791c8133'}, text: 'a',"
            + " at: {$date: '2022-05-16T20:22:01.104Z'}, n: {$numberLong: '5'}, _etag: {$oid: '6193504e1be4ab27791c8134'}}";

    @AutoClose
    static TestGateway gateway;

    static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "dataApi: {enabled: true, max-limit: 50, default-limit: 20}\n");
        db = gateway.database().getName();
        gateway.permit("{_id: 'own', roles: ['editor'], predicate: \"path-prefix('/own')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, projectResponse: {secret: 0},"
                + " allowWriteMode: true, allowBulkPatch: true}}");
        gateway.permit("{_id: 'aggr', roles: ['viewer'], predicate: \"path-prefix('/own')\", mongo:"
                + " {readFilter: {owner: 'bob'}, projectResponse: {secret: 0}, allowAdHocAggregations: true}}");
        gateway.permit("{_id: 'rest', roles: ['editor'], predicate: \"path-prefix('/plain') and via('rest')\"}");
        gateway.permit(
                "{_id: 'acts', roles: ['editor'], predicate: \"path-prefix('/acts') and via('data-api') and action(find)\"}");
        for (var name : List.of("plain", "acts")) {
            gateway.insert(name, "{_id: 1}");
        }
    }

    @BeforeEach
    void fill() {
        gateway.collection("tasks").deleteMany(new BsonDocument());
        gateway.insert("tasks", TASK);
        gateway.collection("own").deleteMany(new BsonDocument());
        for (int i = 0; i < 6; i++) {
            gateway.insert(
                    "own", "{_id: %d, owner: '%s', n: %d, secret: %d}".formatted(i, i % 2 == 0 ? "ada" : "bob", i, i));
        }
    }

    static HttpResponse<String> act(TestClient client, String action, String collection, String members) {
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"%s\"%s}"
                .formatted(db, collection, members.isEmpty() ? "" : ", " + members.replace('\'', '"'));
        return DataApiAnswers.checked(action, client.post("/app/any/endpoint/data/v1/action/" + action, body));
    }

    static HttpResponse<String> act(String action, String members) {
        return act(gateway.as("admin"), action, "tasks", members);
    }

    static void expect(HttpResponse<String> response, int status, String json) {
        assertStatus(status, response);
        assertThat(json(response)).isEqualTo(BsonDocument.parse(json));
    }
}
