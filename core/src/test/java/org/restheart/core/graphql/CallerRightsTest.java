package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallerRightsTest {
    @AutoClose
    private final ConformanceGateway gateway;

    CallerRightsTest(TestMongo mongo) {
        this.gateway = GraphqlGateway.start(mongo, "verbose: false");
        var db = mongo.newDatabaseName();
        mongo.client()
                .getDatabase(db)
                .getCollection("c")
                .insertMany(List.of(
                        new Document("_id", 1)
                                .append("owner", "ada")
                                .append("secret", "s1")
                                .append("n", 1),
                        new Document("_id", 2)
                                .append("owner", "bob")
                                .append("secret", "s2")
                                .append("n", 2)));
        new GraphqlClient(gateway, "admin").define("rules", """
                {"schema": "type Doc { _id: Int secret: String same: [Doc] } type Query { app: [Doc] mine: [Doc] one(id: Int): Doc piped: [Doc] grouped: [Doc] bySecret(s: String): [Doc] computed: [Doc]}",
                 "mappings": {
                   "Doc": {"same": {"db": "$db", "collection": "c", "as": "caller", "find": {"n": {"$fk": "n"}}}},
                   "Query": {
                     "app": {"db": "$db", "collection": "c", "sort": {"_id": 1}},
                     "mine": {"db": "$db", "collection": "c", "as": "caller", "sort": {"_id": 1}},
                     "one": {"db": "$db", "collection": "c", "as": "caller", "find": {"_id": {"$arg": "id"}}},
                     "bySecret": {"db": "$db", "collection": "c", "as": "caller", "find": {"secret": {"$arg": "s"}}},
                     "piped": {"db": "$db", "collection": "c", "as": "caller", "stages": [{"$sort": {"_id": 1}}]},
                     "computed": {"db": "$db", "collection": "c", "as": "caller", "stages": [{"$sort": {"_id": 1}}, {"$set": {"secret": {"$concat": ["$secret", "!"]}}}]},
                     "grouped": {"db": "$db", "collection": "c", "as": "caller", "stages": [{"$group": {"_id": "$n"}}, {"$sort": {"_id": 1}}]}}}}
                """.replace("$db", db));
    }

    private BsonDocument ask(String user, String query) {
        return new GraphqlClient(gateway, user).answer("rules", query);
    }

    private String data(String user, String query) {
        return ask(user, query).getDocument("data").toJson().replace(" ", "");
    }

    @Test
    void a_mapping_reads_as_the_app_by_default() {
        assertThat(data("ada", "{app{_id secret}}"))
                .isEqualTo("{\"app\":[{\"_id\":1,\"secret\":\"s1\"},{\"_id\":2,\"secret\":\"s2\"}]}");
    }

    @Test
    void the_callers_filter_holds_in_every_kind_of_mapping() {
        assertThat(data(
                        "ada",
                        "{mine{_id} piped{_id} grouped{_id} one(id: 1){_id} other: one(id: 2){_id} computed{secret}}"))
                .isEqualTo("{\"mine\":[{\"_id\":1}],\"piped\":[{\"_id\":1}],\"grouped\":[{\"_id\":1}],"
                        + "\"one\":{\"_id\":1},\"other\":null,\"computed\":[{\"secret\":\"s1!\"}]}");
        assertThat(data("ada", "{app{same{_id}}}")).isEqualTo("{\"app\":[{\"same\":[{\"_id\":1}]},{\"same\":[]}]}");
    }

    @Test
    void what_a_projection_hides_is_not_there_for_filters_and_stages_either() {
        assertThat(data("bob", "{mine{_id secret} piped{secret} bySecret(s: \"s1\"){_id} computed{secret}}"))
                .isEqualTo("{\"mine\":[{\"_id\":1,\"secret\":null},{\"_id\":2,\"secret\":null}],"
                        + "\"piped\":[{\"secret\":null},{\"secret\":null}],\"bySecret\":[],"
                        + "\"computed\":[{\"secret\":null},{\"secret\":null}]}");
    }

    @Test
    void a_caller_who_may_not_read_the_collection_gets_an_error_for_the_field() {
        var answer = ask("eve", "{mine{_id} app{_id}}");
        assertThat(answer.getDocument("data").get("mine").isNull()).isTrue();
        assertThat(answer.getDocument("data").getArray("app")).hasSize(2);
        assertThat(answer.getArray("errors")).hasSize(1);
        assertThat(answer.getArray("errors")
                        .get(0)
                        .asDocument()
                        .getString("message")
                        .getValue())
                .contains("Forbidden", "the caller's permissions");
    }
}
