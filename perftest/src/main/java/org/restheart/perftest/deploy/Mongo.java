package org.restheart.perftest.deploy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

/// A MongoDB deployment on this machine. Immutable.
///
/// @param pid of the primary, whose CPU time is watched
public record Mongo(String connectionString, long pid, String version) {

    /// For reports.
    public String description() {
        return version + ", replica set, write concern majority";
    }

    /// Reads version and process of a running deployment.
    public static Mongo at(String connectionString) {
        try (var client = MongoClients.create(connectionString)) {
            return of(connectionString, client);
        }
    }

    private static Mongo of(String connectionString, MongoClient client) {
        var status = client.getDatabase("admin").runCommand(new Document("serverStatus", 1));
        var pid = status.get("pid", 0L);
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new IllegalArgumentException("MongoDB's process " + pid + " is not on this machine");
        }
        return new Mongo(connectionString, pid, status.getString("version"));
    }
}
