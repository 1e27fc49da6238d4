package org.restheart.rest.reading;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Operators;
import org.restheart.data.Access;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.guard.ReadingStages;

/// A read of documents from one collection, with the rights of whom it is for. Immutable by agreement.
public sealed interface DocumentRead {
    MongoNamespace namespace();

    /// The most documents; 0 for all.
    int limit();

    /// Zero for none.
    Duration timeLimit();

    Access rights();

    Aggregate asPipeline();

    /// Adds everything that determines the result, except the collection.
    ///
    /// @return the same parts
    QueryKey.Parts addTo(QueryKey.Parts parts);

    /// The key of the result: reads with equal keys have the same.
    default QueryKey key() {
        return addTo(QueryKey.of(namespace())).key();
    }

    default ReadSettings settings() {
        return new ReadSettings(Optional.empty(), Optional.empty(), timeLimit());
    }

    /// @param sort empty for natural order
    /// @param limit at least 1
    record Find(
            MongoNamespace namespace,
            BsonDocument filter,
            BsonDocument sort,
            int skip,
            int limit,
            Duration timeLimit,
            Access rights)
            implements DocumentRead {
        /// Characters of an id that is looked up together with others: a command has 16 MiB for all of them.
        private static final int LONG = 1_024;

        public Find {
            if (limit < 1 || skip < 0) {
                throw new IllegalArgumentException("limit " + limit + ", skip " + skip);
            }
        }

        /// The `_id`, if the query is for one document by a short id of a distinguishable type.
        Optional<BsonValue> id() {
            var id = filter.size() == 1 && skip == 0 && rights.projectResponse().isEmpty() ? filter.get("_id") : null;
            return Optional.ofNullable(id)
                    .filter(value -> !(value instanceof BsonString text
                            && text.getValue().length() > LONG))
                    .filter(value -> CanonicalId.of(value).isPresent());
        }

        /// @param otherwise the time limit in place of none
        DocumentQuery lookup(BsonValue id, Duration otherwise) {
            var limit = timeLimit.isZero() ? otherwise : timeLimit;
            return new DocumentQuery(
                    namespace,
                    id,
                    StagedFilter.of(rights.readFilter(), List.of()),
                    projection(),
                    new ReadSettings(Optional.empty(), Optional.empty(), limit));
        }

        FindQuery asFind() {
            return new FindQuery(
                    namespace,
                    StagedFilter.of(rights.readFilter(), List.of(filter)),
                    projection(),
                    sort,
                    Optional.empty(),
                    skip,
                    limit,
                    settings());
        }

        private Projection projection() {
            return Projection.of(rights.projectResponse(), new BsonDocument());
        }

        @Override
        public Aggregate asPipeline() {
            var stages = new ArrayList<BsonDocument>();
            stages.add(new BsonDocument("$match", filter));
            if (!sort.isEmpty()) {
                stages.add(new BsonDocument("$sort", sort));
            }
            if (skip > 0) {
                stages.add(new BsonDocument("$skip", new BsonInt32(skip)));
            }
            stages.add(new BsonDocument("$limit", new BsonInt32(limit)));
            return new Aggregate(namespace, stages, false, 0, timeLimit, rights);
        }

        @Override
        public QueryKey.Parts addTo(QueryKey.Parts parts) {
            parts.add("find").add(filter).add(sort).add(skip).add(limit);
            return parts.add(timeLimit.toNanos()).add(rights);
        }
    }

    /// @param stages at least one
    record Aggregate(
            MongoNamespace namespace,
            List<BsonDocument> stages,
            boolean allowDiskUse,
            int limit,
            Duration timeLimit,
            Access rights)
            implements DocumentRead {
        public Aggregate {
            stages = List.copyOf(stages);
        }

        /// The stages after those that enforce the rights.
        ///
        /// @throws org.restheart.http.ProblemException 403 for stages that write or read beyond the rights
        List<BsonDocument> permitted() {
            if (!rights.showsAll()) {
                ReadingStages.WITHIN_RULES.check(stages);
            }
            stages.stream()
                    .flatMap(stage -> stage.keySet().stream())
                    .filter(name -> !Operators.READING_STAGES.contains(name))
                    .forEach(name -> {
                        throw new ProblemException(ProblemCode.FORBIDDEN, "the stage " + name + " is not allowed here");
                    });
            var permitted = new ArrayList<>(StagedFilter.stages(rights.readFilter()));
            permitted.addAll(Projection.stages(rights.projectResponse()));
            permitted.addAll(stages);
            if (limit > 0) {
                permitted.add(new BsonDocument("$limit", new BsonInt32(limit)));
            }
            return permitted;
        }

        @Override
        public Aggregate asPipeline() {
            return this;
        }

        @Override
        public QueryKey.Parts addTo(QueryKey.Parts parts) {
            return parts.add("pipeline")
                    .add(new BsonArray(stages))
                    .add(allowDiskUse ? 1 : 0)
                    .add(limit)
                    .add(timeLimit.toNanos())
                    .add(rights);
        }
    }
}
