package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import java.util.function.Supplier;

/// The state of MongoDB's servers according to the driver's heartbeats: distinguishes a slow command from one whose
/// server has failed. Thread-safe.
final class Deployment {
    private final Supplier<ClusterDescription> current;

    Deployment(Supplier<ClusterDescription> current) {
        this.current = current;
    }

    static Deployment of(MongoClient client) {
        return new Deployment(client::getClusterDescription);
    }

    /// The state at one moment.
    record Known(ClusterDescription description) {}

    Known known() {
        return new Known(current.get());
    }

    /// Whether a server that responded then does not any more. A server that did not respond then does not affect
    /// later commands.
    boolean hasLostServerSince(Known then) {
        var now = current.get().getServerDescriptions();
        return then.description().getServerDescriptions().stream()
                .filter(ServerDescription::isOk)
                .anyMatch(server -> now.stream()
                        .noneMatch(other -> other.isOk() && other.getAddress().equals(server.getAddress())));
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
