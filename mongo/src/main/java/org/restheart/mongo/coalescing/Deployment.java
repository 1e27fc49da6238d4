package org.restheart.mongo.coalescing;

import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import java.util.function.Supplier;
import org.restheart.mongo.error.MongoErrors;

/// The state of MongoDB's servers according to the driver's heartbeats: distinguishes a slow command from one whose
/// server has failed. Thread-safe.
record Deployment(Supplier<ClusterDescription> current) {
    static Deployment of(MongoClient client) {
        return new Deployment(client::getClusterDescription);
    }

    /// Whether this server does not respond.
    boolean hasLost(ServerAddress server) {
        return current.get().getServerDescriptions().stream()
                .noneMatch(other -> other.isOk() && other.getAddress().equals(server));
    }

    /// Whether this server has not responded to a heartbeat in time. Its connections are open, and nothing will be
    /// known of commands that were sent to it.
    boolean isSilent(ServerAddress server) {
        return current.get().getServerDescriptions().stream()
                .anyMatch(other -> !other.isOk()
                        && other.getAddress().equals(server)
                        && MongoErrors.isTimeout(other.getException()));
    }

    /// Unknown before a server has responded.
    boolean isReplicaSet() {
        return current.get().getType() == ClusterType.REPLICA_SET;
    }

    /// Whether there is a primary.
    boolean takesWrites() {
        return current.get().getServerDescriptions().stream().anyMatch(ServerDescription::isPrimary);
    }
}
