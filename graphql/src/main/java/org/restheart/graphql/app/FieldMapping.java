package org.restheart.graphql.app;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The mapping of a field of a type. Immutable.
public sealed interface FieldMapping {

    /// A value of the parent document.
    record Path(ValuePath path) implements FieldMapping {}

    /// A collection and the rights with which it is read.
    ///
    /// @param asCaller with the caller's access rules for the collection, instead of without any
    record Source(MongoNamespace namespace, boolean asCaller, Loading loading) {}

    /// How the executions of one field within one request are loaded.
    ///
    /// @param declared whether the definition says so
    /// @param maxBatch at least 1
    record Loading(boolean declared, boolean batching, boolean caching, int maxBatch) {
        private static final int MAX_BATCH = 500;

        static final Loading USUAL = new Loading(false, true, true, MAX_BATCH);

        static Loading of(BsonDocument declared) {
            boolean batching = isTrue(declared, "batching");
            var size = declared.get("maxBatchSize");
            int max = batching && size != null && size.isNumber()
                    ? size.asNumber().intValue()
                    : MAX_BATCH;
            return new Loading(true, batching, batching && isTrue(declared, "caching"), Math.clamp(max, 1, MAX_BATCH));
        }

        private static boolean isTrue(BsonDocument document, String key) {
            var value = document.get(key);
            return value != null && value.isBoolean() && value.asBoolean().getValue();
        }
    }

    /// @param sort null for none; likewise the others
    record Find(
            Source source,
            Template find,
            @Nullable Template sort,
            @Nullable Template skip,
            @Nullable Template limit) implements FieldMapping {
        /// @throws org.restheart.http.ProblemException 400
        public BsonDocument filter(MappingVariables variables) {
            return document(find.fill(variables), "find");
        }

        /// @throws org.restheart.http.ProblemException 400
        public BsonDocument order(MappingVariables variables) {
            return sort == null ? new BsonDocument() : document(sort.fill(variables), "sort");
        }

        private static BsonDocument document(BsonValue value, String what) {
            if (!value.isDocument()) {
                throw Template.refusal(what + " must be an object");
            }
            return value.asDocument();
        }

        /// @throws org.restheart.http.ProblemException 400
        public int offset(MappingVariables variables) {
            int offset = skip == null ? 0 : int32(skip.fill(variables), "skip", 0);
            if (offset < 0) {
                throw Template.refusal("skip must not be negative");
            }
            return offset;
        }

        /// From 1 to `max`.
        ///
        /// @throws org.restheart.http.ProblemException 400
        public int size(MappingVariables variables, int otherwise, int max) {
            int size = limit == null ? otherwise : int32(limit.fill(variables), "limit", otherwise);
            if (size > max) {
                throw Template.refusal("Query variable cannot be greater than " + max);
            }
            if (size < 0) {
                throw Template.refusal("limit must not be negative");
            }
            return size == 0 ? max : size;
        }

        private static int int32(BsonValue value, String what, int otherwise) {
            if (value.isNull()) {
                return otherwise;
            }
            if (value.isInt32()) {
                return value.asInt32().getValue();
            }
            if (value.isNumber()
                    && value.asNumber().doubleValue() == value.asNumber().intValue()) {
                return value.asNumber().intValue();
            }
            throw Template.refusal(what + " must be an integer");
        }
    }

    record Pipeline(Source source, Template stages, boolean allowDiskUse) implements FieldMapping {
        /// @throws org.restheart.http.ProblemException 400
        public List<BsonDocument> fill(MappingVariables variables) {
            return stages.fill(variables).asArray().stream()
                    .map(BsonValue::asDocument)
                    .toList();
        }
    }

    /// A change stream that a collection declares, for a field of `Subscription`. It is listened to with the
    /// caller's access rules.
    ///
    /// @param variables values of the stream's own variables; null for none
    /// @param path of the field's value in the event; null for the whole event
    record Stream(
            MongoNamespace namespace,
            String uri,
            @Nullable Template variables,
            @Nullable ValuePath path) implements FieldMapping {
        /// The values of the stream's variables.
        ///
        /// @throws org.restheart.http.ProblemException 400
        public Optional<BsonValue> bound(MappingVariables values) {
            return Optional.ofNullable(variables).map(template -> template.fill(values));
        }

        /// The field's value; empty if the event does not have it.
        public Optional<BsonValue> value(BsonDocument event) {
            return path == null ? Optional.of(event) : path.find(event);
        }
    }
}
