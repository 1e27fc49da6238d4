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
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.mongo.bulk.LineStream.LineElement;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.mongo.write.WrittenCheck;

/// Writes batches of lines. Confined to one request.
final class LineWrites {
    private final DataRequest request;
    private final MongoCollection<RawBsonDocument> collection;
    private final TimeLimitedWrites limited;
    private final WrittenCheck writtenCheck;
    private final LinesReport report;

    /// @param report gets the results
    LineWrites(
            DataRequest request,
            RequestCollections collections,
            TimeLimitedWrites limited,
            WrittenCheck writtenCheck,
            LinesReport report) {
        this.request = request;
        this.report = report;
        this.limited = limited;
        this.collection = collections.of(request);
        this.writtenCheck = writtenCheck;
    }

    /// Writes the lines that can be written.
    ///
    /// @throws AbortedException when the command failed as a whole: the outcome of the batch is unknown
    void write(List<LineElement> batch) {
        var readable = new ArrayList<LineElement.Storable>();
        for (var element : batch) {
            switch (element) {
                case LineElement.Storable line -> readable.add(line);
                case LineElement.Refused(var line, var problem) -> report.error(line, problem);
            }
        }
        var allowed = allowed(readable);
        if (!allowed.isEmpty()) {
            try {
                writeAllowed(allowed);
            } catch (MongoException e) {
                var problem = disclosed(MongoErrors.toProblem(e).orElseThrow(() -> e));
                report.error(allowed.getFirst().line(), allowed.getLast().line(), problem);
                throw new AbortedException(problem, e);
            }
        }
    }

    /// The problem as the caller may see it: without MongoDB's message if that may quote hidden data.
    private Problem disclosed(Problem problem) {
        return HiddenFields.mayNotBeQuoted(request) ? problem.unquoting() : problem;
    }

    /// The lines that the caller may store; they are checked one by one only if the batch as a whole is refused.
    private List<LineElement.Storable> allowed(List<LineElement.Storable> lines) {
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
                    report.error(line.line(), e.problem());
                }
            }
            return allowed;
        }
    }

    private static List<RawBsonDocument> documents(List<LineElement.Storable> lines) {
        return lines.stream().map(line -> line.element().document()).toList();
    }

    private void writeAllowed(List<LineElement.Storable> lines) {
        var models = lines.stream().map(line -> line.element().model(request)).toList();
        try {
            var result = BulkWrites.each(limited, request.session(), collection, models);
            if (result.wasAcknowledged()) {
                count(lines, result, Set.of());
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
                report.error(BulkReport.error(
                        request, LinesReport.at(lines.get(error.getIndex()).line()), error));
            }
            count(lines, e.getWriteResult(), failed);
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

    private void count(List<LineElement.Storable> lines, BulkWriteResult result, Set<Integer> failed) {
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
        report.written(created.size(), BulkReport.modified(request, result), result.getMatchedCount());
        created.forEach(id -> Locations.path(request, id).ifPresent(report::link));
    }

    /// MongoDB failed while lines were written.
    static final class AbortedException extends RuntimeException {
        private final transient Problem problem;

        AbortedException(Problem problem, MongoException cause) {
            super(cause);
            this.problem = problem;
        }

        Problem problem() {
            return problem;
        }
    }
}
