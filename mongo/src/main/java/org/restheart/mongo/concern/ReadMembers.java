package org.restheart.mongo.concern;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;

/// The members of a replica set that can answer a read.
public final class ReadMembers {
    private ReadMembers() {}

    /// Refuses at once what the driver would wait for until its server selection times out: a read preference that no
    /// member satisfies. There may be a new primary at any time, so for the primary the driver waits.
    ///
    /// @throws ProblemException 503
    public static void require(MongoClient client, ReadPreference wanted) {
        var cluster = client.getClusterDescription();
        boolean isKnown = cluster.getType() == ClusterType.REPLICA_SET
                && cluster.getServerDescriptions().stream().allMatch(ReadMembers::isKnown);
        if (isKnown
                && !wanted.equals(ReadPreference.primary())
                && wanted.choose(cluster).isEmpty()) {
            throw MongoCodes.unavailable("no member of the replica set satisfies the read preference "
                            + wanted.getName() + " at the moment")
                    .raise();
        }
    }

    private static boolean isKnown(ServerDescription server) {
        return server.isOk() || server.getException() != null;
    }
}
