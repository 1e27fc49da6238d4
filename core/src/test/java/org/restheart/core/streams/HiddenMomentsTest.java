package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.ChangeStreamPreAndPostImagesOptions;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Streams with `applyReadFilter` tell nothing that a document held while it was hidden.
@WithMongo
class HiddenMomentsTest {
    private static final String DEFINITIONS = """
            {"streams": [
              {"uri": "found", "stages": [], "applyReadFilter": true},
              {"uri": "images", "stages": [], "applyReadFilter": true, "fullDocument": "whenAvailable"},
              {"uri": "before", "stages": [], "applyReadFilter": true, "fullDocument": "default",
               "fullDocumentBeforeChange": "whenAvailable"}]}""";

    @AutoClose
    private final StreamsGateway gateway;

    HiddenMomentsTest(TestMongo mongo) {
        gateway = StreamsGateway.startSecured(mongo, "", StreamsGateway.SECURITY);
    }

    @BeforeEach
    void prepare() throws Exception {
        for (var name : List.of("admin", "ada")) {
            gateway.addUser(name, name);
        }
        gateway.insert("acl", """
                {_id: 'p', roles: ['ada'], predicate: "path-prefix('/t') or path-prefix('/i')", priority: 1,
                 mongo: {readFilter: {status: 'published'}}}""");
        gateway.insert("acl", """
                {_id: 'q', roles: ['ada'], predicate: "path-prefix('/c')", priority: 0,
                 mongo: {readFilter: {status: {$ne: 'secret'}}}}""");
    }

    private static String basic(String name) {
        return "Basic "
                + Base64.getEncoder().encodeToString((name + ":" + name + "-pw").getBytes(StandardCharsets.UTF_8));
    }

    private void define(String collection, CreateCollectionOptions options) throws Exception {
        gateway.database().createCollection(collection, options);
        assertStatus(200, gateway.send("PUT", "/" + collection, DEFINITIONS, "Authorization", basic("admin")));
    }

    /// @param second since 1970, of the first event
    private SseListener since(String stream, long second) throws IOException {
        return SseListener.open(gateway, stream + "?startAtOperationTime=" + second, "Authorization: " + basic("ada"));
    }

    private void change(String collection, String update) {
        gateway.collection(collection).updateOne(eq("_id", 1), BsonDocument.parse(update));
    }

    /// The events up to the insertion of the document `end`, as text.
    private String replayed(String stream, long second, String collection) throws IOException {
        gateway.insert(collection, "{_id: 'end', status: 'published'}");
        var text = new StringBuilder();
        try (var events = since(stream, second)) {
            while (true) {
                var event = events.next().document();
                if (event.getDocument("documentKey").isString("_id")) {
                    return text.toString();
                }
                text.append(event.toJson()).append('\n');
            }
        }
    }

    @Test
    void a_replay_does_not_show_what_a_hidden_document_held() throws Exception {
        define("t", new CreateCollectionOptions());
        long began = System.currentTimeMillis() / 1000;
        gateway.insert("t", "{_id: 1, status: 'draft', a: [1, {b: 'x'}], old: 1}");
        change("t", "{$set: {text: 'TOP SECRET DRAFT', 'a.1.b': 'TOP', note: 'kept', n: 1}, $unset: {old: 1}}");
        change("t", "{$set: {text: 'polished', 'a.1.b': 'shown', status: 'published', n: {x: 1}}}");
        change("t", "{$set: {'n.x': 2, title: 'new'}}");
        var events = replayed("/t/_streams/found", began, "t");
        assertThat(events)
                .doesNotContain("TOP")
                .doesNotContain("draft")
                .doesNotContain("old")
                .contains("\"updatedFields\": {\"note\": \"kept\"}")
                .contains(
                        "\"updatedFields\": {\"status\": \"published\", \"text\": \"polished\", \"a.1.b\": \"shown\"}")
                .contains("\"updatedFields\": {\"title\": \"new\", \"n.x\": 2}");
    }

    @Test
    void images_of_the_moment_keep_what_was_changed() throws Exception {
        define(
                "i",
                new CreateCollectionOptions()
                        .changeStreamPreAndPostImagesOptions(new ChangeStreamPreAndPostImagesOptions(true)));
        long began = System.currentTimeMillis() / 1000;
        gateway.insert("i", "{_id: 1, status: 'draft'}");
        change("i", "{$set: {text: 'TOP SECRET DRAFT'}}");
        change("i", "{$set: {text: 'first', status: 'published', x: 1}}");
        change("i", "{$set: {text: 'second'}, $unset: {x: 1}}");
        change("i", "{$set: {text: 'TOP SECRET AGAIN', status: 'draft'}}");
        change("i", "{$set: {text: 'third', status: 'published'}}");
        var events = replayed("/i/_streams/images", began, "i");
        assertThat(events)
                .doesNotContain("TOP")
                .doesNotContain("draft")
                .contains("\"text\": \"first\"")
                .contains("\"updatedFields\": {\"text\": \"second\"}, \"removedFields\": [\"x\"]");
        // what an update made of a document that matched before it need not match
        assertThat(replayed2("/i/_streams/before", began)).doesNotContain("TOP").doesNotContain("draft");
    }

    private String replayed2(String stream, long second) throws IOException {
        gateway.collection("i").deleteOne(eq("_id", "end"));
        return replayed(stream, second, "i");
    }

    @Test
    void a_rule_compares_texts_as_the_collection_does() throws Exception {
        define(
                "c",
                new CreateCollectionOptions()
                        .collation(Collation.builder()
                                .locale("en")
                                .collationStrength(CollationStrength.SECONDARY)
                                .build()));
        long began = System.currentTimeMillis() / 1000;
        gateway.insert("c", "{_id: 1, status: 'SECRET', text: 'hidden'}");
        gateway.insert("c", "{_id: 2, status: 'open', text: 'shown'}");
        assertThat(replayed("/c/_streams/found", began, "c")).contains("shown").doesNotContain("hidden");
    }
}
