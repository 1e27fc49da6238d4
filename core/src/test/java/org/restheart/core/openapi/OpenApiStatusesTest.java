package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;

/// The statuses and codes that an OpenAPI document lists, against those that the conformance cases expect.
@WithMongo
final class OpenApiStatusesTest {
    /// Segments below a collection that are no ids.
    private static final Set<String> RESOURCES =
            Set.of("_size", "_meta", "_violations", "_validator", "_indexes", "_aggrs", "_streams", "*", "binary");

    @AutoClose
    private static TestGateway gateway;

    private static BsonDocument document;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        var admin = gateway.as("admin");
        for (var path : List.of("/books", "/pics.files", "/_schemas")) {
            assertStatus(201, admin.send("PUT", path, "{}"));
        }
        var declared =
                "{\"aggrs\": [{\"uri\": \"any\", \"stages\": []}], \"streams\": [{\"uri\": \"any\", \"stages\": []}]}";
        assertStatus(200, admin.send("PATCH", "/books", declared));
        document = OpenApiFixture.valid(admin.get("/_openapi"));
    }

    private static Optional<BsonDocument> operation(String method, String path) {
        return Optional.ofNullable(document.getDocument("paths").get(path))
                .flatMap(item -> Optional.ofNullable(item.asDocument().get(method.toLowerCase(Locale.ROOT))))
                .map(BsonValue::asDocument);
    }

    private static BsonDocument response(String method, String path, int status) {
        var responses = operation(method, path).orElseThrow().getDocument("responses");
        assertThat(responses).as(method + " " + path).containsKey("" + status);
        var response = responses.getDocument("" + status);
        return response.get("$ref") instanceof BsonString reference
                ? OpenApiFixture.at(
                        document,
                        "components",
                        "responses",
                        reference.getValue().replaceFirst(".*/", ""))
                : response;
    }

    private static List<String> codes(String method, String path, int status) {
        var problem = OpenApiFixture.at(response(method, path, status), "content", "application/problem+json", "schema")
                .getString("$ref")
                .getValue()
                .replaceFirst(".*/", "");
        return OpenApiFixture.at(OpenApiFixture.schema(document, problem), "properties", "code")
                .getArray("enum")
                .stream()
                .map(code -> code.asString().getValue())
                .toList();
    }

    /// The path of the document that describes a path of a case; empty for paths outside of the case's database.
    private static Optional<String> described(String target) {
        var segments = new ArrayList<>(
                Arrays.asList(target.replaceFirst("\\?.*", "").substring(1).split("/")));
        if (!segments.removeFirst().equals("${db}")) {
            return Optional.empty();
        }
        if (!segments.isEmpty() && !segments.getFirst().startsWith("_")) {
            segments.set(0, segments.getFirst().endsWith(".files") ? "pics.files" : "books");
        }
        if (segments.size() > 1) {
            var second = segments.get(1).toLowerCase(Locale.ROOT);
            segments.set(1, RESOURCES.contains(second) ? second : "{id}");
        }
        if (segments.size() > 2 && segments.get(1).startsWith("_")) {
            segments.set(2, segments.get(1).equals("_indexes") ? "{index}" : "any");
        }
        return Optional.of("/" + String.join("/", segments));
    }

    @Test
    void every_status_of_a_conformance_case_is_described() throws Exception {
        var missing = new TreeSet<String>();
        int compared = 0;
        var folder = Objects.requireNonNull(OpenApiStatusesTest.class.getResource("/conformance"));
        try (var files = Files.list(Path.of(folder.toURI()))) {
            for (var file :
                    files.map(path -> path.getFileName().toString()).sorted().toList()) {
                for (var c : ConformanceCase.of(file)) {
                    for (var exchange : c.exchanges()) {
                        var operation =
                                described(exchange.target()).flatMap(path -> operation(exchange.method(), path));
                        if (operation.isEmpty() || exchange.status() == 502) { // the path is not mounted
                            continue;
                        }
                        compared++;
                        if (!operation.get().getDocument("responses").containsKey("" + exchange.status())) {
                            missing.add(exchange.status() + " of " + exchange.method() + " "
                                    + described(exchange.target()).orElseThrow() + ": " + file + ", " + c.name());
                        }
                    }
                }
            }
        }
        assertThat(compared).isGreaterThan(1_000);
        assertThat(missing).isEmpty();
    }

    @Test
    void statuses_and_codes_are_those_of_the_kind_of_operation() {
        var paths = document.getDocument("paths");
        paths.forEach((path, item) -> item.asDocument().forEach((method, operation) -> {
            if (!operation.isDocument()
                    || operation.asDocument().getArray("tags").contains(new BsonString("services"))) {
                return;
            }
            var responses = operation.asDocument().getDocument("responses");
            assertThat(responses).as(method + " " + path).containsKeys("400", "401", "403", "404", "429", "500", "503");
            boolean content = operation.asDocument().containsKey("requestBody");
            assertThat(responses.containsKey("413")).as(method + " " + path).isEqualTo(content);
            assertThat(responses.containsKey("415")).as(method + " " + path).isEqualTo(content);
        }));
        assertThat(response("GET", "/books/_streams/any", 410)).isNotEmpty();
        assertThat(response("GET", "/books", 429).getDocument("headers")).containsOnlyKeys("Retry-After");
        assertThat(operation("GET", "/books").orElseThrow().getDocument("responses"))
                .doesNotContainKeys("406", "412");
        assertThat(codes("GET", "/books", 400)).contains("QUERY_INVALID").doesNotContain("CONTENT_INVALID");
        assertThat(codes("POST", "/books", 400)).contains("CONTENT_INVALID");
        assertThat(codes("GET", "/books", 401)).containsExactly("AUTHENTICATION_REQUIRED");
        assertThat(codes("DELETE", "/books/_indexes/{index}", 401)).contains("INDEX_PROTECTED");
        assertThat(codes("PUT", "/books/{id}", 409)).containsExactly("CONFLICT", "DUPLICATE_KEY", "ETAG_REQUIRED");
        assertThat(codes("DELETE", "/books/*", 409)).containsExactly("CONFLICT");
    }
}
