package org.restheart.embedded;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ClusterConnectionMode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/// The replica set of one member: keeps the member's address in its configuration current.
final class ReplicaSet implements AutoCloseable {
    private static final int NOT_YET_INITIALIZED = 94;
    private static final int TIMEOUT_SECONDS = 30;

    private final MongoClient client;
    private final MongoDatabase admin;
    private final String name;
    private final String member;
    private final boolean durable;

    /// @param durable whether acknowledged writes are on disk
    ReplicaSet(String name, int port, boolean durable) {
        this.client = MongoClients.create(MongoClientSettings.builder()
                .applyToClusterSettings(cluster -> cluster.mode(ClusterConnectionMode.SINGLE)
                        .hosts(List.of(new ServerAddress("127.0.0.1", port)))
                        .serverSelectionTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                .applyToSocketSettings(socket -> socket.connectTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                        .readTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                .readPreference(ReadPreference.nearest())
                .build());
        this.admin = client.getDatabase("admin");
        this.name = name;
        this.member = "127.0.0.1:" + port;
        this.durable = durable;
    }

    /// Whether the process that responds on the port keeps its data there: another one took the port first if not.
    ///
    /// @param directory absolute; what may precede it is the drive that Wine adds
    boolean keepsDataIn(Path directory) {
        var storage = run(command("getCmdLineOpts")).getDocument("parsed").getDocument("storage", new BsonDocument());
        return storage.getString("dbPath", new BsonString("")).getValue().endsWith(directory.toString());
    }

    /// Initiates the set, or moves it to this port. Returns before the member is primary.
    void configure() {
        try {
            var current = run(command("replSetGetConfig")).getDocument("config");
            if (!current.getArray("members").equals(members(current.getArray("members")))) {
                move(current);
            }
        } catch (MongoCommandException e) {
            if (e.getErrorCode() != NOT_YET_INITIALIZED) {
                throw e;
            }
            initiate();
        }
    }

    /// False also while a server that just started refuses connections.
    boolean isWritable() {
        try {
            return run(command("hello"))
                    .getBoolean("isWritablePrimary", BsonBoolean.FALSE)
                    .getValue();
        } catch (MongoException _) {
            return false; // the caller asks again until its deadline
        }
    }

    @Override
    public void close() {
        client.close();
    }

    private void initiate() {
        var onlyMember = new BsonDocument("_id", new BsonInt32(0)).append("host", new BsonString(member));
        var config = new BsonDocument("_id", new BsonString(name))
                .append("members", new BsonArray(List.of(onlyMember)))
                .append("writeConcernMajorityJournalDefault", BsonBoolean.valueOf(durable));
        run(new BsonDocument("replSetInitiate", config));
    }

    /// Forced reconfiguration: the member is not reachable under the old address, so there is no primary.
    private void move(BsonDocument current) {
        var config = current.clone();
        config.put("members", members(current.getArray("members")));
        config.put("version", new BsonInt32(current.getNumber("version").intValue() + 1));
        run(new BsonDocument("replSetReconfig", config).append("force", BsonBoolean.TRUE));
    }

    private BsonArray members(BsonArray current) {
        var onlyMember = current.get(0).asDocument().clone();
        onlyMember.put("host", new BsonString(member));
        return new BsonArray(List.of(onlyMember));
    }

    private static BsonDocument command(String name) {
        return new BsonDocument(name, new BsonInt32(1));
    }

    private BsonDocument run(BsonDocument command) {
        return admin.runCommand(command, BsonDocument.class);
    }
}
