package org.restheart.core.noninterference;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestMongo;

/// A gateway with its own database. The account of each profile has the password `pw`.
final class GatewayInstance implements AutoCloseable {
    private final Gateway gateway;
    private final MongoDatabase database;

    private GatewayInstance(Gateway gateway, MongoDatabase database) {
        this.gateway = gateway;
        this.database = database;
    }

    /// Similar but unequal values of the property `org`; [CallerProfile#ALIKE].
    static final List<String> ORGANISATIONS = List.of(
            "{\"unit\": 1, \"parent\": 2}",
            "{\"parent\": 2, \"unit\": 1}",
            "{\"unit\": \"1\", \"parent\": 2}",
            "1",
            "1.0",
            "\"1\"",
            "0.0",
            "-0.0");

    static GatewayInstance start(TestMongo mongo) {
        return start(mongo, "");
    }

    /// @param more further keys of the block `mongo`, each with a comma before it
    static GatewayInstance start(TestMongo mongo, String more) {
        return start(mongo, more, Set.of(), "core: {}");
    }

    /// @param lost keys of permissions that are not there
    /// @param core the block of this name
    static GatewayInstance start(TestMongo mongo, String more, Set<String> lost, String core) {
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        var secret = new BsonString("$2a$04$" + ThreadLocalRandom.current().nextLong());
        database.getCollection("users", BsonDocument.class)
                .insertOne(new BsonDocument("_id", new BsonString("someone")).append("password", secret));
        database.getCollection("vault", BsonDocument.class)
                .insertOne(new BsonDocument("_id", new BsonString("v0")).append("secret", secret));
        database.getCollection("_schemas", BsonDocument.class).insertOne(BsonDocument.parse("""
            {_id: 's', _$schema: 'http://json-schema.org/draft-04/schema#', type: 'object',
             properties: {open: {not: {type: 'boolean'}}, v: {not: {type: 'string', maxLength: 0}}}}\
            """));
        database.getCollection("_schemas", BsonDocument.class).insertOne(BsonDocument.parse("""
            {_id: 't', _$schema: 'http://json-schema.org/draft-04/schema#', required: ['secret'],
             properties: {secret: {type: 'string'}, n: {type: 'object', required: ['k']}, s: {pattern: 'a'},
                          d: {properties: {secret: {type: 'number'}}}}}\
            """));
        return new GatewayInstance(
                Gateway.start(
                        GatewayConfig.parse(config(mongo.connectionString(), database.getName(), more, lost) + core)),
                database);
    }

    private static String config(String uri, String database, String more, Set<String> lost) {
        var users = Arrays.stream(CallerProfile.values())
                .map(p -> "    - {userid: %s, password: pw, roles: [%s], owner: xena, team: %s}\n"
                        .formatted(p.user(), p.user(), p == CallerProfile.ODD ? "{$ne: x}" : "red"))
                .collect(Collectors.joining());
        var alike = IntStream.range(0, ORGANISATIONS.size())
                .mapToObj(i -> "    - {userid: alike%d, password: pw, roles: [alike], org: %s}\n"
                        .formatted(i, ORGANISATIONS.get(i)))
                .collect(Collectors.joining());
        var permissions = Arrays.stream(CallerProfile.values())
                .map(p -> "    - " + p.permission(lost) + "\n")
                .collect(Collectors.joining());
        return """
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: "$uri"}
            mongo: {local-cache-ttl: 60000, mongo-mounts: [{what: /$db, where: /}] $more}
            logging: {requests-log-mode: 0}
            mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, create-user: false}
            mongoAclAuthorizer: {enabled: true, acl-db: $db, acl-collection: acl, root-role: admin}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            dataApi: {enabled: true}
            mcp: {enabled: true, read-only: false, confirm: false, calls-per-minute: 1000000}
            filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
            aggregationSecurity:
              enabled: true
              stageBlacklist: [$out, $merge, $graphLookup, $unionWith]
              operatorBlacklist: [$where, $function, $accumulator]
            fileAclAuthorizer:
              enabled: true
              permissions:
                - {role: admin, predicate: "path-prefix('/')", mongo: {allowManagementRequests: true}}
                - {role: schemed, predicate: "path-prefix('/_schemas') and method(GET)", mongo: {allowManagementRequests: true}}
            """.replace("$more", more).replace("$db", database).replace("$uri", uri) + permissions.indent(0) + """
                fileRealmAuthenticator:
                  enabled: true
                  users:
                    - {userid: admin, password: pw, roles: [admin]}
                """
                + users + alike;
    }

    String database() {
        return database.getName();
    }

    int port() {
        return gateway.address().getPort();
    }

    /// Creates a collection anew, with metadata and indexes.
    void create(String name) {
        database.getCollection(name).drop();
        database.createCollection(name);
        var collection = database.getCollection(name);
        collection.createIndexes(
                List.of(new IndexModel(Indexes.text("s")), new IndexModel(Indexes.geo2dsphere("loc"))));
        var properties = database.getCollection("_properties", BsonDocument.class);
        properties.deleteOne(eq("_id", "_properties." + name));
        var stored = new BsonDocument("_id", new BsonString("_properties." + name))
                .append("aggrs", new BsonArray(StoredAggregations.escaped()))
                .append(
                        "streams",
                        BsonDocument.parse(
                                        "{s: [{uri: 'all', stages: [], applyReadFilter: true, applyProjection: true}]}")
                                .get("s"))
                .append("rels", relationships(name))
                .append("_etag", new BsonObjectId(new ObjectId(InitialState.tag(0))));
        if (name.startsWith(CallerProfile.SCHEMED.user())) {
            stored.append("jsonSchema", BsonDocument.parse("{schemaId: 's', skipNotSupported: true}"));
        }
        properties.insertOne(stored);
    }

    /// To the collection itself, in both directions, by fields that some callers see; and to accounts.
    private static BsonArray relationships(String name) {
        return BsonArray.parse("""
            [{rel: 'one', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': '$name', 'ref-field': 'r'},
             {rel: 'many', type: 'MANY_TO_MANY', role: 'OWNING', 'target-coll': '$name', 'ref-field': 'rs'},
             {rel: 'back', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': '$name', 'ref-field': 'r'},
             {rel: 'held', type: 'MANY_TO_MANY', role: 'INVERSE', 'target-coll': '$name', 'ref-field': 'rs'},
             {rel: 'path', type: 'MANY_TO_MANY', role: 'OWNING', 'target-coll': '$name', 'ref-field': '$.n.[*].k'},
             {rel: 'deep', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': '$name', 'ref-field': 'n.k'},
             {rel: 'hides', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': '$name', 'ref-field': 'secret'},
             {rel: 'hidden', type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': '$name', 'ref-field': 'secret'},
             {rel: 'user', type: 'MANY_TO_ONE', role: 'OWNING', 'target-coll': 'users', 'ref-field': 'r'}]
            """.replace("$name", name));
    }

    /// Replaces the documents of a collection, past the gateway and its caches.
    void put(String name, List<BsonDocument> documents) {
        var collection = database.getCollection(name, BsonDocument.class);
        collection.deleteMany(new BsonDocument());
        var all = new ArrayList<>(documents);
        var touch = new BsonDocument("_id", new BsonString(InitialState.TOUCH));
        boolean files = name.endsWith(".files");
        all.add(files ? InitialState.described(touch) : touch);
        collection.insertMany(all);
        if (files) {
            var chunks = database.getCollection(name.replace(".files", ".chunks"), BsonDocument.class);
            chunks.deleteMany(new BsonDocument());
            chunks.insertMany(all.stream()
                    .map(file -> new BsonDocument("files_id", file.get("_id"))
                            .append("n", new BsonInt32(0))
                            .append("data", new BsonBinary(InitialState.content(file))))
                    .toList());
        }
    }

    /// Changes a document past the gateway.
    ///
    /// @return whether the document has become another
    boolean change(String name, BsonValue id, String field, BsonValue value) {
        return database.getCollection(name, BsonDocument.class)
                        .updateOne(
                                eq("_id", id),
                                List.of(new BsonDocument(
                                        "$set", new BsonDocument(field, new BsonDocument("$literal", value)))))
                        .getModifiedCount()
                == 1;
    }

    List<BsonDocument> find(String name, BsonDocument filter) {
        return database.getCollection(name, BsonDocument.class)
                .find(filter)
                .sort(new BsonDocument("_id", new org.bson.BsonInt32(1)))
                .into(new ArrayList<>());
    }

    @Override
    public void close() {
        gateway.close();
    }
}
