package org.restheart.rest.reading;

import com.mongodb.client.MongoCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.FieldPath;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.coalescing.KeyReader;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.QueryKey;
import org.restheart.rest.reading.DocumentReads.Union;

/// Reads the documents to which others refer, those of many in one command. Blocks. Thread-safe.
public final class RelatedReads {
    /// The most documents that may be related to those of one answer.
    public static final int MAX_DOCUMENTS = KeyReader.MAX_DOCUMENTS;

    /// Their most bytes.
    public static final long MAX_BYTES = 16 << 20;

    /// Bytes of the reads of one command: half of what a command may have, since more than the reads is in it.
    private static final long COMMAND_BYTES = 8 << 20;

    /// What a key counts at least in a command, which so has at most a thousand of them.
    private static final long LEAST_KEY = COMMAND_BYTES / 1_000;

    /// By this the bytes of keys are less that count in a batch, which so has as many keys as a command, by default.
    private static final int BATCH_SCALE = 2;

    /// Documents of a key for which one reply has place.
    private static final int USUAL_OF_A_KEY = 4;

    /// Pipelines of one command, of which each is a stage: MongoDB allows a thousand.
    private static final int MAX_PIPELINES = 200;

    private final Coalescer coalesced;
    private final DocumentReads reads;

    RelatedReads(Coalescer coalesced, DocumentReads reads) {
        this.coalesced = coalesced;
        this.reads = reads;
    }

    /// @param query what is read of them, in what order, and the most for each document that refers to them
    /// @param property whose values are the keys
    /// @param isInArrays whether keys are elements of arrays there
    /// @param isPlain as `ResourceMetadata.plain` of their collection
    public record Relation(FindQuery query, String property, boolean isInArrays, boolean isPlain) {
        /// A query of the same shape, such as by one key.
        public FindQuery example() {
            return of(new BsonDocument("$eq", new BsonString("")), query.limit());
        }

        private FindQuery of(BsonValue condition, int limit) {
            var wanted = isInArrays ? new BsonDocument("$elemMatch", condition) : condition;
            return query.with(query.filter().and(new BsonDocument(property, wanted)))
                    .slice(0, limit);
        }

        private FindQuery of(List<BsonValue> keys) {
            var condition = keys.size() == 1
                    ? new BsonDocument("$eq", keys.getFirst())
                    : new BsonDocument("$in", new BsonArray(keys));
            return of(condition, query.limit());
        }

        /// What is found depends on this and the keys alone.
        private QueryKey shape() {
            return QueryKey.of(query.namespace())
                    .add(query.sharedKey().text())
                    .add(query.settings().timeLimit().toString())
                    .add(property)
                    .add(isInArrays ? 1 : 0)
                    .key();
        }

        /// Whether the results of one query can be told apart by the keys.
        private boolean canBeTold() {
            return isPlain
                    && query.settings().collation().isEmpty()
                    && Distribution.isPossibleBy(property)
                    && !(isInArrays && property.contains("."));
        }
    }

    /// The refusal of more than an answer may have.
    public static ProblemException tooMany() {
        return new ProblemException(
                ProblemCode.EMBED_TOO_LARGE,
                "an answer embeds at most " + MAX_DOCUMENTS + " documents and " + (MAX_BYTES >> 20)
                        + " MiB: use a smaller pagesize, or limit, keys or filter of the relationship");
    }

    /// The related documents for each list of keys, in order.
    ///
    /// @param work of which this is a part
    /// @param lease holds what they take until it is closed
    /// @throws ProblemException 400 if they are too many, 503 without memory for them
    /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be asked
    public List<List<RawBsonDocument>> read(Relation relation, List<List<BsonValue>> keys, Lease work, Lease lease) {
        if (keys.stream().mapToInt(List::size).sum() > MAX_DOCUMENTS) {
            throw tooMany();
        }
        var distinct = List.copyOf(new LinkedHashSet<>(keys)); // many documents may refer to the same ones
        var found = distinct(relation, distinct, work, lease);
        if (found.size() == keys.size()) {
            return found;
        }
        var byKeys = new HashMap<List<BsonValue>, List<RawBsonDocument>>();
        for (int i = 0; i < found.size(); i++) {
            byKeys.put(distinct.get(i), found.get(i));
        }
        return keys.stream().map(each -> byKeys.getOrDefault(each, List.of())).toList();
    }

    private List<List<RawBsonDocument>> distinct(
            Relation relation, List<List<BsonValue>> keys, Lease work, Lease lease) {
        var reader = new Reader(relation);
        boolean isShared = relation.canBeTold()
                && relation.query().settings().session().isEmpty()
                && keys.stream()
                        .flatMap(List::stream)
                        .allMatch(key -> CanonicalId.of(key).isPresent());
        var found = new ArrayList<List<RawBsonDocument>>(keys.size());
        for (var part : parts(keys, RelatedReads::size)) {
            long bytes = part.stream().mapToLong(RelatedReads::size).sum();
            found.addAll(
                    bytes == 0 || !isShared
                            ? reader.all(part, lease)
                            : coalesced.byKeys(
                                    relation.shape(), reader, part, (int) (bytes / BATCH_SCALE), work, lease));
        }
        return found;
    }

    /// What is read, divided into commands of at most [#COMMAND_BYTES], unless one alone has more.
    static <T> List<List<T>> parts(Collection<T> all, ToLongFunction<T> size) {
        var parts = new ArrayList<List<T>>();
        long bytes = Long.MAX_VALUE;
        for (var each : all) {
            long more = size.applyAsLong(each);
            if (bytes > COMMAND_BYTES - more) {
                parts.add(new ArrayList<>());
                bytes = 0;
            }
            bytes += more;
            parts.getLast().add(each);
        }
        return parts;
    }

    private static long size(List<BsonValue> keys) {
        long bytes = 0;
        long counted = 0;
        for (var key : keys) {
            int size = size(key);
            bytes += size;
            counted += Math.max(size, LEAST_KEY);
        }
        if (bytes > COMMAND_BYTES) {
            throw tooMany();
        }
        return counted;
    }

    /// Bytes of a document with the key alone.
    private static int size(BsonValue key) {
        return switch (key.getBsonType()) {
            case STRING -> 12 + key.asString().getValue().getBytes(StandardCharsets.UTF_8).length;
            case OBJECT_ID -> 19;
            default -> RawDocuments.encode(new BsonDocument("", key)).getByteLength();
        };
    }

    private final class Reader implements KeyReader {
        private final Relation relation;

        Reader(Relation relation) {
            this.relation = relation;
        }

        @Override
        public Optional<List<List<RawBsonDocument>>> together(List<List<BsonValue>> keys, Lease lease) {
            var places = new LinkedHashMap<Object, List<Integer>>();
            var distinct = new ArrayList<BsonValue>();
            boolean canBeTold = relation.canBeTold();
            for (int place = 0; place < keys.size(); place++) {
                for (var key : keys.get(place)) {
                    var canonical = CanonicalId.of(key);
                    canBeTold &= canonical.isPresent();
                    places.computeIfAbsent(canonical.orElse(key), _ -> {
                                distinct.add(key);
                                return new ArrayList<>(1);
                            })
                            .add(place);
                }
            }
            if (distinct.isEmpty()) {
                return Optional.of(
                        keys.stream().map(_ -> List.<RawBsonDocument>of()).toList());
            }
            return canBeTold ? found(keys.size(), places, distinct, lease) : Optional.empty();
        }

        /// Empty if they are too many to be read without the limits of each.
        private Optional<List<List<RawBsonDocument>>> found(
                int lists, Map<Object, List<Integer>> places, List<BsonValue> distinct, Lease lease) {
            int limit = relation.query().limit();
            boolean isById = relation.property().equals("_id");
            int most = isById ? distinct.size() : Math.min(MAX_DOCUMENTS, limit * lists) + 1;
            var query = relation.of(new BsonDocument("$in", new BsonArray(distinct)), most);
            var counted = new Counted(batch -> reads.documents().find(query, batch));
            try {
                var found = reads.all(query.namespace(), "", most, USUAL_OF_A_KEY * distinct.size(), counted, lease);
                var distribution = new Distribution(relation.property(), places, Collections.nCopies(lists, limit));
                return !isById && found.size() == most ? Optional.empty() : distribution.of(found);
            } catch (ProblemException e) {
                if (isById || e.problem().code() != ProblemCode.EMBED_TOO_LARGE) {
                    throw e;
                }
                return Optional.empty();
            }
        }

        @Override
        public List<List<RawBsonDocument>> apart(List<List<BsonValue>> keys, Lease lease) {
            return union(relation, keys, lease);
        }
    }

    /// A query for each list of keys, with its own limit.
    private List<List<RawBsonDocument>> union(Relation relation, List<List<BsonValue>> keys, Lease lease) {
        var asking = new ArrayList<Integer>();
        for (int place = 0; place < keys.size(); place++) {
            if (!keys.get(place).isEmpty()) {
                asking.add(place);
            }
        }
        var found = new ArrayList<List<RawBsonDocument>>(
                keys.stream().map(_ -> List.<RawBsonDocument>of()).toList());
        var query = relation.query();
        var namespace = query.namespace();
        for (int from = 0; from < asking.size(); from += MAX_PIPELINES) {
            var part = asking.subList(from, Math.min(asking.size(), from + MAX_PIPELINES));
            var stages = Union.stages(
                    namespace,
                    part.stream()
                            .map(place -> DriverFinder.stages(relation.of(keys.get(place))))
                            .toList());
            var counted =
                    new Counted(batch -> reads.documents().results(namespace, stages, query.settings(), null, batch));
            int most = MAX_DOCUMENTS + part.size(); // each may have one more than is embedded
            var results = reads.all(namespace, "results", most + 1, 0, counted, lease);
            if (results.size() > most) {
                throw tooMany();
            }
            var distributed = Union.distribute(results, part.size());
            for (int i = 0; i < part.size(); i++) {
                found.set(part.get(i), distributed.get(i));
            }
        }
        return found;
    }

    /// Ends a result that is too large for an answer in any case.
    private record Counted(IntFunction<MongoCursor<RawBsonDocument>> find)
            implements IntFunction<MongoCursor<RawBsonDocument>> {
        @Override
        public MongoCursor<RawBsonDocument> apply(int batch) {
            return new DocumentCursor.Wrapper(find.apply(batch)) {
                private long bytes;

                @Override
                public RawBsonDocument next() {
                    var next = super.next();
                    bytes += Objects.requireNonNull(next).getByteLength();
                    if (bytes > 2 * MAX_BYTES) { // each list may have one more than is embedded
                        throw tooMany();
                    }
                    return next;
                }
            };
        }
    }

    /// Who gets which documents of a query for several values of one property, with MongoDB's matching rules.
    ///
    /// @param places who has asked for each value, by [CanonicalId]
    /// @param limits the most documents of each place
    record Distribution(String property, Map<Object, List<Integer>> places, List<Integer> limits) {
        /// Whether the values of documents can be told apart: a digit may be a position in an array.
        static boolean isPossibleBy(String property) {
            return !property.startsWith("$") && property.chars().noneMatch(Character::isDigit);
        }

        /// The documents of each place, in their order; empty if one has none of the values.
        Optional<List<List<RawBsonDocument>>> of(List<RawBsonDocument> documents) {
            var distributed = new ArrayList<List<RawBsonDocument>>();
            limits.forEach(_ -> distributed.add(new ArrayList<>()));
            var path = FieldPath.steps(property);
            for (var document : documents) {
                var matched = new LinkedHashSet<Integer>();
                match(document, path, 0, matched);
                if (matched.isEmpty()) {
                    return Optional.empty();
                }
                for (int place : matched) {
                    var mine = distributed.get(place);
                    if (mine.size() < limits.get(place)) {
                        mine.add(document);
                    }
                }
            }
            return Optional.of(distributed);
        }

        /// Traverses arrays on the path and at its end, as MongoDB does.
        private void match(BsonValue value, List<String> path, int depth, Set<Integer> matched) {
            if (depth < path.size()) {
                if (value instanceof RawBsonDocument document) {
                    RawDocuments.get(document, path.get(depth))
                            .ifPresent(member -> matchMember(member, path, depth + 1, matched));
                }
            } else {
                CanonicalId.of(value).map(places::get).ifPresent(matched::addAll);
            }
        }

        private void matchMember(BsonValue member, List<String> path, int depth, Set<Integer> matched) {
            if (member.isArray()) {
                member.asArray().forEach(element -> match(element, path, depth, matched));
            } else {
                match(member, path, depth, matched);
            }
        }
    }
}
