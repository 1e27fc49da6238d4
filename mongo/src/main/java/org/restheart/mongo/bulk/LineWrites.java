package org.restheart.mongo.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.mongo.bulk.LineStream.LineElement;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.LimitedWrites;
import org.restheart.mongo.write.WrittenCheck;

/// Writes batches of lines. Confined to one request.
final class LineWrites {
    private final DataRequest request;
    private final MongoCollection<RawBsonDocument> collection;
    private final LimitedWrites limited;
    private final WrittenCheck writtenCheck;

    LineWrites(DataRequest request, Collections collections, LimitedWrites limited, WrittenCheck writtenCheck) {
        this.request = request;
        this.limited = limited;
        this.collection = collections.of(request);
        this.writtenCheck = writtenCheck;
    }

    /// Writes the lines that can be written.
    ///
    /// @throws AbortedException when the command failed as a whole: the outcome of the batch is unknown
    Outcome write(List<LineElement> batch) {
        var outcome = new Outcome();
        var readable = new ArrayList<LineElement.Storable>();
        for (var element : batch) {
            switch (element) {
                case LineElement.Storable line -> readable.add(line);
                case LineElement.Refused(var line, var problem) -> outcome.error(line, problem);
            }
        }
        var allowed = allowed(readable, outcome);
        if (!allowed.isEmpty()) {
            try {
                write(allowed, outcome);
            } catch (MongoException e) {
                var problem = MongoErrors.toProblem(e).orElseThrow(() -> e);
                throw new AbortedException(
                        allowed.getFirst().line(), allowed.getLast().line(), disclosed(problem), outcome, e);
            }
        }
        return outcome;
    }

    /// The problem as the caller may see it: without MongoDB's message if that may quote hidden data.
    private Problem disclosed(Problem problem) {
        return HiddenFields.mayNotBeQuoted(request) ? problem.unquoting() : problem;
    }

    /// The lines that the caller may store; they are checked one by one only if the batch as a whole is refused.
    private List<LineElement.Storable> allowed(List<LineElement.Storable> lines, Outcome outcome) {
        try {
            writtenCheck.check(request, documents(lines));
            return lines;
        } catch (ProblemException someRefused) {
            var allowed = new ArrayList<LineElement.Storable>();
            for (var line : lines) {
                try {
                    writtenCheck.check(request, documents(List.of(line)));
                    allowed.add(line);
                } catch (ProblemException e) {
                    outcome.error(line.line(), e.problem());
                }
            }
            return allowed;
        }
    }

    private static List<RawBsonDocument> documents(List<LineElement.Storable> lines) {
        return lines.stream().map(line -> line.element().document()).toList();
    }

    private void write(List<LineElement.Storable> lines, Outcome outcome) {
        var models = lines.stream().map(line -> line.element().model(request)).toList();
        try {
            var result = BulkWrites.each(limited, request.session(), collection, models);
            if (result.wasAcknowledged()) {
                count(lines, result, Set.of(), outcome);
            }
        } catch (MongoBulkWriteException e) {
            if (e.getWriteErrors().isEmpty() || e.getWriteConcernError() != null) {
                throw e;
            }
            var failed = new HashSet<Integer>();
            var earlier = earlier(lines, e.getWriteErrors());
            for (var error : e.getWriteErrors()) {
                if (earlier.contains(error.getIndex())) {
                    continue;
                }
                failed.add(error.getIndex());
                outcome.error(BulkReport.error(
                        request, Outcome.at(lines.get(error.getIndex()).line()), error));
            }
            count(lines, e.getWriteResult(), failed, outcome);
        }
    }

    /// The lines of a batch that is sent again which an earlier attempt has stored. Of several lines with one id, that
    /// is the first.
    private Set<Integer> earlier(List<LineElement.Storable> lines, List<BulkWriteError> errors) {
        if (!BatchTag.isIn(request.http())) {
            return Set.of();
        }
        var failed = new TreeMap<Integer, BsonValue>();
        errors.stream()
                .filter(MongoCodes::isDuplicateId)
                .forEach(error -> failed.put(
                        error.getIndex(), lines.get(error.getIndex()).element().id()));
        var open = Ids.taggedWith(BatchTag.of(request.http()), collection, failed.values());
        for (int i = 0; i < lines.size(); i++) {
            if (!failed.containsKey(i)) {
                open.remove(lines.get(i).element().id()); // stored by this attempt
            }
        }
        failed.values().removeIf(id -> !open.remove(id));
        return failed.keySet();
    }

    private void count(List<LineElement.Storable> lines, BulkWriteResult result, Set<Integer> failed, Outcome outcome) {
        var created = new ArrayList<BsonValue>();
        if (request.parameters().writeMode().orElse(WriteMode.INSERT) == WriteMode.INSERT) {
            for (int i = 0; i < lines.size(); i++) {
                if (!failed.contains(i)) {
                    created.add(lines.get(i).element().id());
                }
            }
        } else {
            result.getUpserts().forEach(upsert -> created.add(upsert.getId()));
        }
        outcome.written(created.size(), BulkReport.modified(request, result), result.getMatchedCount());
        created.forEach(id -> Locations.path(request, id).ifPresent(outcome::link));
    }

    /// MongoDB failed while lines were written.
    static final class AbortedException extends RuntimeException {
        private final transient Problem problem;
        private final transient Outcome outcome;

        AbortedException(long first, long last, Problem problem, Outcome outcome, MongoException cause) {
            super(cause);
            this.problem = problem;
            this.outcome = outcome;
            outcome.error(first, last, problem);
        }

        Problem problem() {
            return problem;
        }

        /// The results of the failed batch: the lines that were refused before, and all others as one error.
        Outcome outcome() {
            return outcome;
        }
    }

    /// The results of a batch of lines. Filled by one thread.
    static final class Outcome {
        private final List<String> links = new ArrayList<>();
        private final List<BsonDocument> errors = new ArrayList<>();
        private int inserted;
        private int modified;
        private int matched;

        List<String> links() {
            return links;
        }

        /// The errors, each with its `line`, or with the first and the `lastLine` of several.
        List<BsonDocument> errors() {
            return errors;
        }

        int inserted() {
            return inserted;
        }

        int modified() {
            return modified;
        }

        int matched() {
            return matched;
        }

        void written(int created, int modified, int matched) {
            this.inserted += created;
            this.modified += modified;
            this.matched += matched;
        }

        void link(String link) {
            links.add(link);
        }

        void error(BsonDocument error) {
            errors.add(error);
        }

        void error(long line, Problem problem) {
            errors.add(describe(at(line), problem));
        }

        void error(long first, long last, Problem problem) {
            errors.add(describe(at(first).append("lastLine", new BsonInt64(last)), problem));
        }

        static BsonDocument at(long line) {
            return new BsonDocument("line", new BsonInt64(line));
        }

        private static BsonDocument describe(BsonDocument error, Problem problem) {
            return error.append("httpStatus", new BsonInt32(problem.status()))
                    .append("message", new BsonString(problem.message()));
        }
    }
}
