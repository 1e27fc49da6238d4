package org.restheart.core.security;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;

/// Random access rules and requests, for tests that compare two ways to the same data: each way has a collection of its
/// own, with equal documents and equal rules.
public final class RandomRules {
    /// Begins the values of `secret`, which rules may hide.
    public static final String HIDDEN = "hidden-";

    private RandomRules() {}

    public static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /// Twelve documents, a third of them of `ada`.
    public static void fill(TestGateway gateway, List<String> collections) {
        for (var collection : collections) {
            for (int i = 0; i < 12; i++) {
                var owner = i % 3 == 0 ? "ada" : "bob";
                gateway.insert(
                        collection,
                        "{_id: %d, owner: '%s', n: %d, secret: '%s%d', text: 'of %s'}"
                                .formatted(i, owner, i % 4, HIDDEN, i, owner));
            }
        }
    }

    /// Rules for the role of `ada`, equal ones for each collection.
    ///
    /// @param mayRead whether one of them allows all reads
    /// @return whether all of them hide the field `secret`
    public static boolean permit(TestGateway gateway, Random random, List<String> collections, boolean mayRead) {
        boolean hides = random.nextBoolean();
        for (int i = 0; i < 4; i++) {
            var predicate = mayRead && i == 3
                    ? "method(GET) and path-prefix('/%s')"
                    : pick(
                            random,
                            "path-prefix('/%s')",
                            "path-prefix('/%s') and not method(DELETE)",
                            "path-prefix('/%s') and method(GET)",
                            "path-template('/%s/{id}')",
                            "path('/%s') and method(GET)",
                            "path-prefix('/%s') and qparams-blacklist(sort)",
                            "path-prefix('/%s') and equals(@user._id, 'ada')");
            var grant = grant(random, hides);
            for (var collection : collections) {
                gateway.permit("{_id: '%s-%d', roles: ['editor'], priority: %d, predicate: \"%s\", mongo: {%s}}"
                        .formatted(collection, i, i, predicate.formatted(collection), grant));
            }
        }
        return hides;
    }

    /// The `mongo` part of a permission, without braces.
    ///
    /// @param hides whether it hides the field `secret`
    public static String grant(Random random, boolean hides) {
        var parts = new ArrayList<String>();
        for (var part : List.of(
                "allowBulkPatch: true",
                "allowBulkDelete: true",
                "allowWriteMode: true",
                "allowAdHocAggregations: true",
                "allowManagementRequests: true",
                "readFilter: {owner: '@user._id'}",
                "writeFilter: {owner: '@user._id'}",
                "mergeRequest: {owner: '@user._id'}",
                "checkWritten: true")) {
            if (random.nextBoolean()) {
                parts.add(part);
            }
        }
        if (hides) {
            parts.add("projectResponse: {secret: 0}");
        }
        return String.join(", ", parts);
    }

    public static String filter(Random random) {
        return pick(
                random,
                "{\"n\": 1}",
                "{\"secret\": {\"$gt\": \"hidden-3\"}}",
                "{\"owner\": \"bob\"}",
                "{\"$where\": \"1\"}",
                "{\"n\": {\"$gte\": 2}}",
                "{\"text\": {\"$regex\": \"ada\"}}",
                "{\"$expr\": {\"$eq\": [\"$owner\", \"bob\"]}}",
                "{\"$nope\": 1}");
    }

    public static String update(Random random) {
        return pick(
                random, "{\"$set\": {\"n\": 7}}", "{\"$set\": {\"secret\": \"hidden-x\"}}", "{\"$inc\": {\"n\": 1}}");
    }

    public static String pipeline(Random random) {
        return pick(
                random,
                "[{\"$sort\": {\"_id\": 1}}]",
                "[{\"$group\": {\"_id\": \"$owner\", \"n\": {\"$sum\": 1}}}, {\"$sort\": {\"_id\": 1}}]",
                "[{\"$match\": {\"$where\": \"1\"}}]",
                "[{\"$project\": {\"x\": {\"$toInt\": \"$text\"}}}]",
                "[{\"$unionWith\": \"users\"}]",
                "[{\"$sort\": {\"_id\": 1}}, {\"$project\": {\"secret\": 1}}]");
    }

    /// The document without what each write makes anew: entity tag, and id.
    public static BsonDocument comparable(BsonDocument document) {
        document.remove("_etag");
        if (document.containsKey("_id") && document.get("_id").isObjectId()) {
            document.remove("_id");
        }
        return document;
    }

    /// All documents, in an order of their own.
    public static List<BsonDocument> comparable(Iterable<BsonDocument> documents) {
        var all = new ArrayList<BsonDocument>();
        documents.forEach(document -> all.add(comparable(document)));
        all.sort(Comparator.comparing(BsonDocument::toJson));
        return all;
    }
}
