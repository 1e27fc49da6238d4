package org.restheart.testkit.conformance;

import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import org.bson.BsonDocument;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.wire.WireClient;
import org.restheart.testkit.wire.WireRequest;
import org.restheart.testkit.wire.WireResponse;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// One run of one case, in its own database, so that caches of the gateway have no effect on it.
final class CaseRun {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final ConformanceCase conformanceCase;
    private final RunningGateway gateway;
    private final MongoDatabase database;
    private final WireClient client;
    private final CaseVariables variables = new CaseVariables();

    CaseRun(ConformanceCase conformanceCase, RunningGateway gateway, TestMongo mongo) {
        this.conformanceCase = conformanceCase;
        this.gateway = gateway;
        this.database = mongo.client().getDatabase(mongo.newDatabaseName());
        this.client = new WireClient(gateway.port());
        variables.put("db", database.getName());
        variables.put("base", "http://127.0.0.1:" + gateway.port());
    }

    void run() {
        conformanceCase.given().forEach(this::put);
        var steps = conformanceCase.steps();
        for (var i = 0; i < steps.size(); i++) {
            var step = steps.get(i);
            var request = request(step);
            var response = send(request);
            var differences = new AnswerDifferences(step.expect(), response, variables).list();
            if (!differences.isEmpty()) {
                throw new AssertionError(describe(i, request, response, differences));
            }
            step.capture().forEach((name, source) -> variables.put(name, captured(source, response)));
        }
    }

    private void put(String collection, List<BsonDocument> documents) {
        if (documents.isEmpty()) {
            database.createCollection(collection);
        } else {
            database.getCollection(collection, BsonDocument.class).insertMany(documents);
        }
    }

    private WireRequest request(Step step) {
        var headers = new LinkedHashMap<String, String>();
        step.user().ifPresent(user -> headers.put("Authorization", basic(user)));
        step.body().ifPresent(body -> headers.put("Content-Type", body.contentType()));
        step.headers().forEach((name, value) -> {
            headers.keySet().removeIf(name::equalsIgnoreCase);
            if (value != null) {
                headers.put(name, variables.replace(value));
            }
        });
        var request = WireRequest.of(variables.replace(step.request()));
        for (var header : headers.entrySet()) {
            request = request.with(header.getKey(), header.getValue());
        }
        return step.body().isPresent()
                ? request.withBody(variables.replace(step.body().get().content()))
                : request;
    }

    private String basic(String user) {
        var password = gateway.password(user)
                .orElseThrow(() -> new IllegalArgumentException("the gateway under test has no user " + user));
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private WireResponse send(WireRequest request) {
        try {
            return client.send(request);
        } catch (IOException e) {
            throw new UncheckedIOException(request.method() + " " + request.target() + ": " + e.getMessage(), e);
        }
    }

    private static String captured(String source, WireResponse response) {
        if (!source.startsWith("/")) {
            return response.header(source).orElseThrow(() -> new AssertionError("no header " + source + " to capture"));
        }
        try {
            var value = JSON.readTree(response.body()).at(source);
            return value.isString() ? value.stringValue() : value.toString();
        } catch (JacksonException e) {
            throw new AssertionError("no JSON body to capture " + source + " from", e);
        }
    }

    private String describe(int step, WireRequest request, WireResponse response, List<String> differences) {
        return "%s: %s%s\n%s\n\n> %s %s\n%s\n\n< %s"
                .formatted(
                        conformanceCase.file(),
                        conformanceCase.name(),
                        conformanceCase.steps().size() == 1 ? "" : " (request " + (step + 1) + ")",
                        String.join(
                                "\n",
                                differences.stream().map(line -> "  " + line).toList()),
                        request.method(),
                        request.target(),
                        new String(request.body(), StandardCharsets.UTF_8),
                        response);
    }
}
