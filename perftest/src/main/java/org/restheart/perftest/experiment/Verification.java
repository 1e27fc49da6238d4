package org.restheart.perftest.experiment;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.regex;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.load.Requests;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Operation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Compares a server's response with MongoDB's once, before anything is measured.
final class Verification implements Closeable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final JsonMapper JSON = new JsonMapper();

    private final MongoClient mongo;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Verification(Mongo mongo) {
        this.mongo = MongoClients.create(mongo.connectionString());
    }

    /// Compares the first of the operation's answers.
    ///
    /// @throws IOException when the server's differs from what MongoDB holds
    void check(HttpSubject subject, Operation operation) throws IOException, InterruptedException {
        var traffic = subject.dialect().traffic(operation).getFirst();
        var response = send(traffic, subject.dialect().port());
        boolean creates = operation instanceof Operation.Insert(var _, var batch, var _) && batch == 1;
        var wanted = creates ? 201 : 200;
        if (response.statusCode() != wanted) {
            throw new IOException("%s answers %d to the operation '%s': %s"
                    .formatted(subject.name(), response.statusCode(), operation.label(), response.body()));
        }
        if (operation instanceof Operation.Insert
                || operation instanceof Operation.Update
                || operation instanceof Operation.Transfer
                || operation instanceof Operation.Ping) {
            return;
        }
        var expected = expected(operation);
        var answered = ids(JSON.readTree(response.body()));
        if (expected.isEmpty() || !answered.equals(expected)) {
            throw new IOException("%s answers the operation '%s' with documents %s, MongoDB with %s"
                    .formatted(subject.name(), operation.label(), answered, expected));
        }
    }

    /// The answer to the first request.
    ///
    /// @throws IOException when it is no success, or is without a text
    void check(Requests traffic, int port, String text) throws IOException, InterruptedException {
        var response = send(traffic, port);
        if (response.statusCode() >= 300 || !response.body().contains(text)) {
            throw new IOException("%s %s answers %d: %s"
                    .formatted(traffic.method(), traffic.target(), response.statusCode(), response.body()));
        }
    }

    private HttpResponse<String> send(Requests traffic, int port) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + traffic.firstTarget()))
                .timeout(TIMEOUT)
                .method(
                        traffic.method(),
                        traffic.body().isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(traffic.firstBody()));
        if (!traffic.body().isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        traffic.fields().stream().filter(field -> !field.startsWith("Host:")).forEach(field -> {
            var colon = field.indexOf(':');
            request.header(field.substring(0, colon), field.substring(colon + 1).strip());
        });
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private List<String> expected(Operation operation) {
        var collection = mongo.getDatabase(operation.namespace().database())
                .getCollection(operation.namespace().collection());
        var found = switch (operation) {
            case Operation.Ping _, Operation.Insert _, Operation.Update _, Operation.Transfer _, Operation.Ycsb _ ->
                throw new IllegalArgumentException("finds no documents");
            case Operation.FindById _ -> collection.find(eq(Documents.id(0)));
            case Operation.Page(var _, var skip, var limit) -> page(collection, skip, limit);
            case Operation.RandomPage(var _, var from, var _, var limit) -> page(collection, from, limit);
            case Operation.Matching(var _, var field, var regex, var limit) ->
                collection.find(regex(field, regex)).sort(descending("_id")).limit(limit);
        };
        return found.map(document -> document.getObjectId("_id").toHexString()).into(new ArrayList<>());
    }

    private static FindIterable<Document> page(MongoCollection<Document> collection, long skip, int limit) {
        return collection
                .find()
                .sort(descending("_id"))
                .skip(Math.toIntExact(skip))
                .limit(limit);
    }

    /// Of one document or an array of them.
    private static List<String> ids(JsonNode answer) {
        var documents = answer.isArray() ? answer : JSON.createArrayNode().add(answer);
        return StreamSupport.stream(documents.spliterator(), false)
                .map(document -> document.path("_id").path("$oid").asString())
                .toList();
    }

    @Override
    public void close() {
        http.close();
        mongo.close();
    }
}
