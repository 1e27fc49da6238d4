package org.restheart.mongo.cursor;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerType;
import java.util.EnumSet;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/// The requirements of exact bookmarks on the MongoDB deployment.
final class ExactRequirements {
    private static final Set<ServerType> MEMBERS = EnumSet.of(
            ServerType.REPLICA_SET_PRIMARY,
            ServerType.REPLICA_SET_SECONDARY,
            ServerType.REPLICA_SET_ARBITER,
            ServerType.REPLICA_SET_OTHER,
            ServerType.REPLICA_SET_GHOST,
            ServerType.UNKNOWN);

    private ExactRequirements() {}

    /// Whether replies contain the time of the last write, and changes can be followed: true for a replica set. A
    /// router reports only the times of the shards that it has queried.
    static boolean tellsTheTime(MongoClient client) {
        var members = client.getClusterDescription().getServerDescriptions();
        var concern = client.getReadConcern().getLevel();
        return members.stream().anyMatch(member -> member.getType() == ServerType.REPLICA_SET_PRIMARY)
                && members.stream().allMatch(member -> MEMBERS.contains(member.getType()))
                && client.getReadPreference().equals(ReadPreference.primary())
                && (concern == null || concern == ReadConcernLevel.LOCAL);
    }

    /// Whether the collection is capped: change streams do not report the removal of its oldest documents. Blocks
    /// for MongoDB.
    static boolean isCapped(MongoClient client, MongoNamespace namespace) {
        var found = client.getDatabase(namespace.getDatabaseName())
                .listCollections(BsonDocument.class)
                .filter(new BsonDocument("name", new BsonString(namespace.getCollectionName())))
                .first();
        return found != null
                && found.getDocument("options", new BsonDocument())
                        .getBoolean("capped", BsonBoolean.FALSE)
                        .getValue();
    }
}
