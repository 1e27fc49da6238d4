package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import java.util.function.Supplier;

/// What the driver's heartbeats say of MongoDB's servers: it tells a command that takes its time from one whose server
/// is gone. Thread-safe.
final class Deployment {
    private final Supplier<ClusterDescription> current;

    Deployment(Supplier<ClusterDescription> current) {
        this.current = current;
    }

    static Deployment of(MongoClient client) {
        return new Deployment(client::getClusterDescription);
    }

    /// What was known at one moment.
    record Known(ClusterDescription description) {}

    Known known() {
        return new Known(current.get());
    }

    /// Whether a server that answered then does not any more. One that did not answer even then does no harm to
    /// what has been sent since.
    boolean hasLostServerSince(Known then) {
        var now = current.get().getServerDescriptions();
        return then.description().getServerDescriptions().stream()
                .filter(ServerDescription::isOk)
                .anyMatch(server -> now.stream()
                        .noneMatch(other -> other.isOk() && other.getAddress().equals(server.getAddress())));
    }

    /// Not known before a server has answered.
    boolean isReplicaSet() {
        return current.get().getType() == ClusterType.REPLICA_SET;
    }

    /// Whether any server takes writes.
    boolean takesWrites() {
        return current.get().getServerDescriptions().stream().anyMatch(ServerDescription::isPrimary);
    }
}
