package org.restheart.rest.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoCollection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.bson.JsonParser;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Caller;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.rest.schema.Schemas;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

@WithMongo
class CsvLoaderTest {
    @AutoClose
    private static final BackgroundTasks TASKS = new BackgroundTasks();

    private final CsvLoader loader;
    private final String db;
    private final MongoCollection<BsonDocument> collection;

    CsvLoaderTest(TestMongo mongo) {
        loader = new CsvLoader(
                mongo.client(),
                new Metadata(mongo.client(), Duration.ZERO),
                new Schemas(TASKS, mongo.client(), Duration.ZERO, _ -> true),
                new ForbiddenOperators(QuerySecurity.DEFAULT));
        db = mongo.newDatabaseName();
        collection = mongo.client().getDatabase(db).getCollection("c", BsonDocument.class);
    }

    private Request request(String method, String query, String mediaType, String csv, Access grant) {
        return loader.prepare(TestRequests.request(Method.of(method).orElseThrow(), "/csv?" + query.replace("DB", db))
                .with(Fields.of("Content-Type", mediaType))
                .with(Body.of(csv.getBytes(StandardCharsets.UTF_8)))
                .with(Caller.ANONYMOUS.with(grant)));
    }

    private int post(String query, String csv) {
        return switch (loader.handle(request("POST", query, "text/csv; charset=UTF-8", csv, new Access.Root()))) {
            case Response.Ready ready -> ready.status();
            case Response.Deferred<?> _ -> throw new AssertionError("nothing is deferred here");
        };
    }

    private List<BsonDocument> stored() {
        var documents = collection.find().into(new ArrayList<>());
        documents.forEach(document -> assertThat(document.remove("_etag")).isNotNull());
        return documents;
    }

    private static BsonDocument json(String json) {
        return JsonParser.parse(json).asDocument();
    }

    @Test
    void rows_become_documents() {
        assertThat(post("db=DB&coll=c&id=0", """
            id,"name",price,tags,note
            1,"Widget, big",9.5,{"a":1},plain text
            2,bolt,null,true,,surplus

            """)).isEqualTo(200);
        assertThat(stored())
                .containsExactly(
                        json("{_id: 1, name: 'Widget, big', price: 9.5, tags: {a: 1}, note: 'plain text'}"),
                        json("{_id: 2, name: 'bolt', price: null, tags: true, note: '', unnamed_0: 'surplus'}"));
    }

    @Test
    void a_separator_and_further_properties_can_be_given() {
        assertThat(post("db=DB&coll=c&id=0&sep=%5C%7C&props=from&props=year&values=file&values=2026", "a|b\n1|x,y\n"))
                .isEqualTo(200);
        assertThat(stored()).containsExactly(json("{_id: 1, b: 'x,y', from: 'file', year: 2026}"));
    }

    @Test
    void nothing_to_store_is_not_modified() {
        assertThat(post("db=DB&coll=c", "a,b\n")).isEqualTo(304);
        assertThat(post("db=DB&coll=c", "")).isEqualTo(304);
    }

    @Test
    void an_update_changes_by_id_and_upserts() {
        post("db=DB&coll=c&id=0", "id,n,m\n1,1,1\n");
        assertThat(post("db=DB&coll=c&id=0&update=true", "id,n\n1,2\n2,2\n")).isEqualTo(200);
        assertThat(stored()).containsExactly(json("{_id: 1, n: 2, m: 1}"), json("{_id: 2, n: 2}"));
    }

    @Test
    void an_update_without_upsert_can_have_a_filter() {
        post("db=DB&coll=c&id=0", "id,n\n1,1\n2,2\n");
        assertThat(post(
                        "db=DB&coll=c&id=0&update=true&upsert=false&sep=;",
                        "id;m;_filter\n1;5;{\"n\":1}\n2;5;{\"n\":1}\n3;5;{}\n"))
                .isEqualTo(200);
        assertThat(stored()).containsExactly(json("{_id: 1, n: 1, m: 5}"), json("{_id: 2, n: 2}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | coll=c                          | text/csv   | 400 | db qparam is mandatory",
                "POST | db=DB                           | text/csv   | 400 | coll qparam is mandatory",
                "POST | db=DB&coll=c&update=true        | text/csv   | 400 | id must be set when update=true",
                "POST | db=DB&coll=c&id=x               | text/csv   | 400 | id must be the number of a column,"
                        + " counted from 0",
                "POST | db=DB&coll=c&sep=               | text/csv   | 400 | sep must be 1 to 20 characters without"
                        + " quotes",
                "GET  | db=DB&coll=c                    | text/csv   | 405 | Only POST method is supported;"
                        + " update=true changes documents",
                "POST | db=DB&coll=c                    | text/plain | 400 | the content must be a CSV file; send it"
                        + " with Content-Type: text/csv",
                "POST | db=DB&coll=_properties          | text/csv   | 403 | reserved resource",
                "POST | db=DB&coll=_schemas             | text/csv   | 403 | reserved resource",
                "POST | db=DB&coll=_meta                | text/csv   | 403 | reserved resource",
                "POST | db=DB&coll=system.users         | text/csv   | 403 | reserved resource",
                "POST | db=admin&coll=c                 | text/csv   | 403 | reserved resource",
            })
    void a_file_that_cannot_be_loaded_is_refused(String method, String query, String type, int status, String message) {
        assertThatThrownBy(() -> loader.handle(request(method, query, type, "id,a\n1,2\n", new Access.Root())))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().status()).isEqualTo(status);
                    assertThat(e.problem().message()).isEqualTo(message);
                });
        assertThat(stored()).isEmpty();
    }

    @Test
    void access_rules_see_a_management_request_about_the_collection() {
        var target = request("POST", "db=DB&coll=c", "text/csv", "", new Access.Root())
                .require(DataTarget.KEY);
        assertThat(target.db()).contains(db);
        assertThat(target.collection()).contains("c");
        assertThat(target.demands()).containsExactly(Privilege.MANAGEMENT);
    }

    @Test
    void values_of_the_permission_are_merged_into_every_row() {
        var grant = new Access.RowPolicy(
                Set.of(Privilege.values()),
                Optional.empty(),
                Optional.of(json("{owner: 'ada'}")),
                Optional.of(json("{owner: 'ada'}")),
                Optional.empty(),
                false);
        loader.handle(request("POST", "db=DB&coll=c&id=0", "text/csv", "id,owner\n1,bob\n", grant));
        assertThat(stored()).containsExactly(json("{_id: 1, owner: 'ada'}"));
    }
}
