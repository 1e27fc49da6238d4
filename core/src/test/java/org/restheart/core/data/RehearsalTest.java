package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ValidationOptions;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `Prefer: tx=rollback` answers what the write without it answers, and nobody hears of it.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RehearsalTest {
    private static final String JSON = "application/json";
    private static final String LINES = "application/x-ndjson";
    private static final List<String> HEADERS = List.of("ETag", "Location", "Warning", "Allow");

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    RehearsalTest(TestMongo mongo) {
        this.mongo = mongo;
        gateway = ConformanceGateway.helpful(mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]}");
        mongo.database().drop();
        mongo.database().createCollection("c");
        mongo.database()
                .createCollection(
                        "valid",
                        new CreateCollectionOptions()
                                .validationOptions(
                                        new ValidationOptions().validator(Document.parse("{n: {$not: {$gt: 100}}}"))));
        assertStatus(201, gateway.as("admin").put("/" + mongo.databaseName() + "/_schemas", "{}"));
        assertStatus(
                201,
                gateway.as("admin")
                        .put(
                                "/" + mongo.databaseName() + "/_schemas/s?wm=upsert",
                                "{\"properties\": {\"n\": {\"maximum\": 100}}}"));
        assertStatus(
                201,
                gateway.as("admin")
                        .put("/" + mongo.databaseName() + "/checked", "{\"jsonSchema\": {\"schemaId\": \"s\"}}"));
        for (var name : List.of("c", "valid", "checked")) {
            mongo.database()
                    .getCollection(name)
                    .createIndex(
                            Indexes.ascending("u"),
                            new IndexOptions().unique(true).sparse(true));
        }
    }

    private record Write(String user, String method, String target, String type, String body, String... headers) {
        HttpResponse<String> send(ConformanceGateway gateway, String database, String... more) {
            var all = Stream.of(new String[] {"Content-Type", type}, headers, more)
                    .flatMap(Stream::of)
                    .toArray(String[]::new);
            return gateway.as(user).with(all).send(method, "/" + database + target, body);
        }

        @Override
        public String toString() {
            return user + " " + method + " " + target + " " + body.substring(0, Math.min(60, body.length())) + " "
                    + String.join(" ", headers);
        }
    }

    private static Write of(String method, String target, String body, String... headers) {
        return new Write("admin", method, target, JSON, body, headers);
    }

    private static String filter(String json) {
        return "filter=" + URLEncoder.encode(json, StandardCharsets.UTF_8);
    }

    private static String lines(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> "{\"_id\": \"n" + i + "\", \"n\": 1}\n")
                .collect(Collectors.joining());
    }

    private static Stream<Write> arrays() {
        var mixed = """
            [{"_id": "x"}, {"_id": "a"}, {"_id": "y", "u": 1}, {"_id": "x"}, {"_id": "z", "u": 9}, {"_id": "w", "u": 9},
             {"n": 3}]\
            """;
        return Stream.of("c", "valid", "checked").flatMap(name -> {
            var path = "/" + name;
            return Stream.of(
                    of("POST", path, mixed),
                    of("POST", path, "[{\"_id\": \"a\"}, {\"_id\": \"b\"}, {\"_id\": \"d0\"}]"),
                    of("POST", path, "[{\"_id\": \"x\"}, {\"_id\": \"y\", \"n\": 101}, {\"_id\": \"z\"}]"),
                    of("POST", path + "?wm=upsert", mixed),
                    of("POST", path + "?wm=update", mixed),
                    of("POST", path + "?wm=upsert&" + filter("{\"n\":{\"$lt\":3}}"), mixed),
                    new Write("ada", "POST", path, JSON, mixed),
                    new Write("admin", "POST", path, LINES, "{\"_id\": \"x\"}\n{oops\n[1]\n{\"_id\": \"a\"}\n"),
                    new Write(
                            "admin",
                            "POST",
                            path,
                            LINES,
                            lines(0, 1_200) + "{\"_id\": \"n7\"}\n{\"u\": 1}\n" + lines(1_195, 1_250)),
                    new Write("ada", "POST", path, LINES, "{\"_id\": \"a\"}\n{\"_id\": \"q\", \"u\": 1}\n{\"n\": 1}\n"),
                    new Write(
                            "admin",
                            "POST",
                            path + "?wm=upsert",
                            LINES,
                            "{\"_id\": \"a\", \"n\": 4}\n{\"u\": 1}\n{}\n"),
                    new Write("admin", "POST", path, "text/csv", "_id,n:long\na,1\nx,y\nz,3\nb,4\n"),
                    new Write("admin", "POST", path, "text/csv", "_id,n\n"),
                    new Write("admin", "POST", path, LINES, ""));
        });
    }

    private static Stream<Write> ofOne() {
        var stale = "0123456789abcdef01234567";
        return Stream.of("c", "valid", "checked").flatMap(name -> {
            var a = "/" + name + "/a";
            var x = "/" + name + "/x";
            return Stream.of(
                    of("POST", "/" + name, "{\"_id\": \"a\"}"),
                    of("POST", "/" + name, "{\"_id\": \"x\", \"u\": 1}"),
                    of("POST", "/" + name, "{\"_id\": \"x\", \"n\": 101}"),
                    of("POST", "/" + name, "{\"n\": 1}"),
                    of("POST", "/" + name + "?wm=upsert&checkEtag", "{\"_id\": \"a\"}"),
                    of("PUT", a, "{\"n\": 9}"),
                    of("PUT", a, "{\"n\": 9}", "Prefer", "return=representation"),
                    of("PUT", a, "{\"n\": 9}", "If-Match", stale),
                    of("PUT", a + "?wm=upsert", "{\"n\": 9}", "If-Match", stale),
                    of("PUT", a + "?wm=upsert", "{\"n\": 9}", "If-None-Match", "*"),
                    of("PUT", a + "?wm=upsert&checkEtag", "{\"n\": 9}"),
                    of("PUT", a + "?wm=upsert&" + filter("{\"n\":77}"), "{\"n\": 9}"),
                    of("PUT", a + "?wm=insert", "{\"n\": 9}"),
                    of("PUT", a + "?wm=insert", "{\"n\": 9}", "If-Match", stale),
                    of("PUT", a + "?wm=insert", "{\"n\": 9}", "If-None-Match", "*"),
                    of("PUT", a + "?wm=insert&checkEtag", "{\"n\": 9}"),
                    of("PUT", x + "?wm=upsert", "{\"u\": 1}"),
                    of("PUT", x, "{\"u\": 1}"),
                    of("PATCH", a, "{\"u\": 1}"),
                    of("PATCH", a, "{\"n\": 101}"),
                    of("PATCH", a, "{\"$inc\": {\"s\": 1}}"),
                    of("PATCH", a, "[{\"$set\": {\"n\": {\"$divide\": [1, 0]}}}]"),
                    of("PATCH", a + "?wm=insert", "{\"n\": 9}"),
                    of("PATCH", a + "?wm=insert", "{\"n\": 9}", "If-None-Match", "*"),
                    of("PATCH", a + "?wm=upsert", "{\"n\": 9}", "If-None-Match", "*"),
                    of("PATCH", a + "?wm=upsert&" + filter("{\"n\":77}"), "{\"n\": 9}"),
                    of("PATCH", x + "?wm=upsert", "{\"u\": 1}"),
                    of("PATCH", x + "?wm=upsert", "{\"n\": 3}", "Prefer", "return=representation"),
                    of("PATCH", x, "{\"n\": 3}"),
                    of("DELETE", a, ""),
                    of("DELETE", a, "", "If-Match", stale),
                    of("DELETE", x, ""),
                    new Write("ada", "PUT", a, JSON, "{\"n\": 1}"),
                    new Write("ada", "PUT", "/" + name + "/b?wm=insert", JSON, "{\"n\": 1}"),
                    new Write("ada", "POST", "/" + name, JSON, "{\"u\": 1}"),
                    of("PATCH", "/" + name + "/*?" + filter("{\"k\":1}"), "{\"$inc\": {\"n\": 60}}"),
                    of("PATCH", "/" + name + "/*?" + filter("{\"k\":1}"), "{\"$inc\": {\"n\": 200}}"),
                    of("PATCH", "/" + name + "/*?" + filter("{\"k\":1}"), "{\"$inc\": {\"s\": 1}}"),
                    of("PATCH", "/" + name + "/*?" + filter("{\"k\":1}"), "{\"u\": 5}"),
                    of("PATCH", "/" + name + "/*?" + filter("{\"k\":1}"), "{\"n\": 1}"),
                    of("DELETE", "/" + name + "/*?" + filter("{\"k\":1}"), ""),
                    of("DELETE", "/" + name + "/*?" + filter("{\"k\":1}"), "", "Prefer", "max-affected=2"));
        });
    }

    private static Stream<Write> writes() {
        return Stream.concat(arrays(), ofOne());
    }

    private void fill(String name) {
        var collection = mongo.database().getCollection(name);
        collection.deleteMany(new Document());
        var all = new ArrayList<>(List.of(
                new Document("_id", "a").append("n", 1).append("s", "text").append("owner", "ada"),
                new Document("_id", "b").append("u", 1).append("owner", "bob")));
        for (int i = 0; i < 150; i++) {
            all.add(new Document("_id", "d" + i)
                    .append("k", 1)
                    .append("n", i % 90)
                    .append("s", i == 120 ? "text" : i));
        }
        all.forEach(document -> document.append("_etag", new ObjectId("65f000000000000000000000")));
        collection.insertMany(all);
    }

    /// With the same for all ids that are generated.
    private static String answer(HttpResponse<String> response) {
        var headers = response.headers().map().entrySet().stream()
                .filter(header -> HEADERS.stream().anyMatch(header.getKey()::equalsIgnoreCase))
                .collect(Collectors.toMap(header -> header.getKey().toLowerCase(), Map.Entry::getValue));
        return (response.statusCode() + " " + headers + " " + response.body())
                .replaceAll("65f000000000000000000000", "stored")
                .replaceAll("[0-9a-f]{24}", "new");
    }

    @ParameterizedTest
    @MethodSource("writes")
    void a_rehearsal_answers_what_the_write_answers(Write write) {
        var name = write.target.split("[/?]", -1)[1];
        fill(name);
        var before = mongo.database().getCollection(name).find().into(new ArrayList<>());
        try (var events = mongo.database().watch().cursor()) {
            var rehearsed = write.send(gateway, mongo.databaseName(), "Prefer", "tx=rollback");
            mongo.database().getCollection("end").insertOne(new Document());
            assertThat(events.next().getNamespace().getCollectionName()).isEqualTo("end");
            assertThat(mongo.database().getCollection(name).find().into(new ArrayList<>()))
                    .isEqualTo(before);
            var written = write.send(gateway, mongo.databaseName());
            assertThat(answer(rehearsed)).isEqualTo(answer(written));
            if (rehearsed.statusCode() < 400) {
                assertThat(rehearsed.headers().firstValue("Preference-Applied").orElseThrow())
                        .contains("tx=rollback");
            }
        }
    }
}
