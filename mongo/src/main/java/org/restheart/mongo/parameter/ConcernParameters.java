package org.restheart.mongo.parameter;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import java.util.Locale;
import java.util.Optional;
import org.restheart.http.Query;
import org.restheart.mongo.concern.BoundedConcern;

/// The concerns and read preference of a request, in place of the deployment's defaults. Unknown names are ignored.
public record ConcernParameters(
        Optional<ReadConcern> readConcern,
        Optional<ReadPreference> readPreference,
        Optional<WriteConcern> writeConcern) {

    static ConcernParameters parse(Query query) {
        return new ConcernParameters(
                query.first("readConcern").flatMap(ConcernParameters::readConcern),
                query.first("readPreference").flatMap(ConcernParameters::readPreference),
                query.first("writeConcern").flatMap(ConcernParameters::writeConcern));
    }

    private static Optional<ReadConcern> readConcern(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "local" -> Optional.of(ReadConcern.LOCAL);
            case "available" -> Optional.of(ReadConcern.AVAILABLE);
            case "majority" -> Optional.of(ReadConcern.MAJORITY);
            case "linearizable" -> Optional.of(ReadConcern.LINEARIZABLE);
            case "snapshot" -> Optional.of(ReadConcern.SNAPSHOT);
            default -> Optional.empty();
        };
    }

    private static Optional<ReadPreference> readPreference(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "primary" -> Optional.of(ReadPreference.primary());
            case "primarypreferred" -> Optional.of(ReadPreference.primaryPreferred());
            case "secondary" -> Optional.of(ReadPreference.secondary());
            case "secondarypreferred" -> Optional.of(ReadPreference.secondaryPreferred());
            case "nearest" -> Optional.of(ReadPreference.nearest());
            default -> Optional.empty();
        };
    }

    private static Optional<WriteConcern> writeConcern(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "ACKNOWLEDGED" -> Optional.of(WriteConcern.ACKNOWLEDGED);
            case "W1" -> Optional.of(WriteConcern.W1);
            case "W2" -> Optional.of(BoundedConcern.W2);
            case "W3" -> Optional.of(BoundedConcern.W3);
            case "UNACKNOWLEDGED" -> Optional.of(WriteConcern.UNACKNOWLEDGED);
            case "JOURNALED" -> Optional.of(WriteConcern.JOURNALED);
            case "MAJORITY" -> Optional.of(BoundedConcern.MAJORITY);
            default -> Optional.empty();
        };
    }
}
