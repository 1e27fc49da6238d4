package org.restheart.rest.service;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.ProblemCode.RESERVED_NAME;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.AbstractList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.data.Operation.Write;
import org.restheart.data.Privilege;
import org.restheart.http.Body;
import org.restheart.http.Cors;
import org.restheart.http.FoundWarnings;
import org.restheart.http.KnownKeys;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.WriteBounds;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.Ids;
import org.restheart.rest.content.Form;
import org.restheart.rest.content.NewDocument;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.DataRequest.DocumentValidation;
import org.restheart.rest.format.CsvRecords;
import org.restheart.rest.format.CsvRecords.Cell;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.parameter.ParameterWarnings;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.rest.schema.Schemas;
import org.restheart.text.ShortText;

/// `POST /csv?db=…&coll=…`: stores the rows of a CSV file as documents. For access rules this is a management
/// request to that collection, with the rows as its content.
public record CsvLoader(MongoClient client, Metadata metadata, Schemas schemas, ForbiddenOperators forbiddenOperators)
        implements Service {
    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Request prepare(Request request) {
        var target = new DataTarget(
                request.query().first("db"),
                request.query().first("coll"),
                Optional.empty(),
                ResourceKind.COLLECTION,
                Write.INSERT,
                EnumSet.of(Privilege.MANAGEMENT));
        return request.with(DataTarget.KEY, target).with(RequestContent.KEY, new RequestContent(() -> rows(request)));
    }

    private static BsonArray rows(Request request) {
        try {
            return CsvRows.parse(request.body(), CsvOptions.parse(request.query()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Response handle(Request request) {
        var mediaType = request.headers().first("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        if (!mediaType.startsWith("text/csv")) {
            throw Problem.helpful(BAD_REQUEST, "the content must be a CSV file; send it with Content-Type: text/csv")
                    .raise();
        }
        if (request.method() != Method.POST) {
            throw new ProblemException(
                    METHOD_NOT_ALLOWED, "Only POST method is supported; update=true changes documents");
        }
        var options = CsvOptions.parse(request.query());
        requireCollection(options);
        var rows = request.require(RequestContent.KEY).value().asArray();
        if (rows.isEmpty()) {
            return warned(
                    Response.status(304), "the content has no rows: a first line with names, then a line for each");
        }
        request.requireThread();
        var known = metadata.collection(request::requireThread, options.db(), options.collection(), false);
        var validation = schemas.of(request, options.db(), known);
        var models = models(request, options, rows, validation);
        MongoCollection<BsonDocument> collection =
                client.getDatabase(options.db()).getCollection(options.collection(), BsonDocument.class);
        BulkWrites.Counts counts;
        try {
            if (validation.isPresent() && options.update()) {
                boolean seesAll = request.caller().grant().showsAll();
                counts = BulkWrites.checked(
                        client, collection, models, row -> validation.get().check(row, seesAll));
            } else {
                counts = BulkWrites.Counts.of(BulkWrites.inOrder(Optional.empty(), collection, models));
            }
        } catch (MongoException e) {
            throw HiddenFields.hidesErrorDetails(request)
                    ? MongoErrors.toProblem(e).orElseThrow(() -> e).unquoting().raise()
                    : e;
        } finally {
            metadata.forgetCollection(options.db(), options.collection());
        }
        var answer = answer(rows, counts);
        for (var name : CsvOptions.unknown(request.query())) {
            answer = warned(answer, "unknown parameter " + name + ", which has no effect");
        }
        return answer;
    }

    /// Without content: the counts are in header fields.
    private static Response.Ready answer(BsonArray rows, BulkWrites.Counts counts) {
        long lost = rows.size() - counts.matched() - counts.inserted();
        var answer = Response.status(200)
                .with("X-Inserted-Count", Long.toString(counts.inserted()))
                .with("X-Matched-Count", Long.toString(counts.matched()));
        if (lost > 0) {
            answer = warned(answer, lost + " rows found no document to change");
        }
        long wider = CsvRows.wider(rows);
        return wider == 0
                ? answer
                : warned(answer, wider + " rows have more cells than the first line; see the fields unnamed_0 and on");
    }

    private static Response.Ready warned(Response.Ready response, String text) {
        return response.withAlso("Warning", FoundWarnings.line(text));
    }

    /// Names are MongoDB's here, so names reserved by the data API have to be refused.
    private static void requireCollection(CsvOptions options) {
        var path = ResourcePath.parse(List.of(options.db(), options.collection()));
        if (path.kind() != ResourceKind.COLLECTION) {
            throw new ProblemException(RESERVED_NAME, "reserved resource");
        }
        ResourceNames.check(path.db(), path.collection());
    }

    /// The writes of all rows, which are valid. Each is made when it is sent.
    private List<WriteModel<BsonDocument>> models(
            Request request, CsvOptions options, BsonArray rows, Optional<DocumentValidation> validation) {
        if (request.caller().grant().checkWritten()
                || request.attribute(DocumentCheck.KEY).isPresent()) {
            throw new ProblemException(
                    FORBIDDEN, "rules check the documents of this collection, which is not possible for a CSV file");
        }
        for (var row : rows) {
            var _ = model(request, options, row.asDocument(), options.update() ? Optional.empty() : validation);
        }
        return new AbstractList<>() {
            @Override
            public WriteModel<BsonDocument> get(int index) {
                return model(request, options, rows.get(index).asDocument(), Optional.empty());
            }

            @Override
            public int size() {
                return rows.size();
            }
        };
    }

    private WriteModel<BsonDocument> model(
            Request request, CsvOptions options, BsonDocument cells, Optional<DocumentValidation> validation) {
        var row = new BsonDocument();
        row.putAll(cells);
        request.caller().grant().mergeRequest().ifPresent(merge -> NewDocument.merge(row, merge, !options.update()));
        validation.ifPresent(schema -> schema.check(row, true));
        row.put("_etag", new BsonObjectId());
        ResourceNames.requireUnreserved(row.get("_id", BsonNull.VALUE));
        return options.update() ? update(request, options, row) : insert(row);
    }

    private static WriteModel<BsonDocument> insert(BsonDocument row) {
        if (!row.containsKey("_id")) {
            row.put("_id", new BsonObjectId());
        }
        return new InsertOneModel<>(row);
    }

    private WriteModel<BsonDocument> update(Request request, CsvOptions options, BsonDocument row) {
        var grant = request.caller().grant();
        var id = row.remove("_id");
        if (id == null) {
            throw missingId();
        }
        var wanted = options.upsert() ? Optional.<BsonDocument>empty() : filter(row.remove("_filter"));
        wanted.ifPresent(condition -> {
            forbiddenOperators.checkFilter(condition);
            HiddenFields.checkFilter(grant, condition);
        });
        var others = WriteBounds.within(
                request,
                StagedFilter.ofWrites(grant.writeFilter(), wanted.stream().toList()));
        UpdateContent.requireFew(row.size());
        var change = new BsonDocument("$set", row);
        HiddenFields.checkChange(grant, change);
        if (options.upsert()) {
            change.append("$setOnInsert", new BsonDocument("_id", id)); // a filter that matches nothing keeps no id
        }
        var updateOptions = new UpdateOptions().upsert(options.upsert()).hint(Ids.hint(others));
        return new UpdateOneModel<>(Ids.equal(id, others), change, updateOptions);
    }

    private static Optional<BsonDocument> filter(@Nullable BsonValue filter) {
        return filter != null && filter.isDocument() ? Optional.of(filter.asDocument()) : Optional.empty();
    }

    private static ProblemException missingId() {
        return new ProblemException(CONTENT_INVALID, "a row has no cell in the column of the id");
    }

    /// Parses CSV to documents: the first record names the fields, every other one is a row. A cell is
    /// parsed as JSON if possible, else kept as a string; one in quotes only if it is an object or an array.
    static final class CsvRows {
        /// Cells of all rows, including further properties.
        private static final int MAX_CELLS = 1_000_000;

        /// Bytes of a row besides its content: rows stay bytes until they are stored.
        private static final int ROW = 100;

        private static final String UNNAMED = "unnamed_";

        private CsvRows() {}

        /// @throws ProblemException 400, 413
        static BsonArray parse(Body csv, CsvOptions options) throws IOException {
            var rows = new BsonArray();
            var records = new CsvRecords(new ByteArrayInputStream(csv.bytes()), options.separator());
            var header = records.next();
            if (header == null) {
                return rows;
            }
            var names = header.cells().stream()
                    .map(cell -> cell.quoted() ? cell.text() : cell.text().strip())
                    .toList();
            requireColumns(names, options);
            long total = 0;
            for (var record = records.next(); record != null; record = records.next()) {
                var row = row(names, record.cells(), options);
                total += record.cells().size() + options.properties().size() + 1;
                if (total > MAX_CELLS) {
                    throw new ProblemException(
                            CONTENT_TOO_LARGE, "more than " + MAX_CELLS + " cells: load the rows in several files");
                }
                csv.hold(ROW + row.getByteLength());
                rows.add(row);
            }
            return rows;
        }

        /// @throws org.restheart.http.ProblemException 400 if the header contradicts the options or itself
        private static void requireColumns(List<String> names, CsvOptions options) {
            if (names.size() == 1
                    && options.separatorGiven()
                    && !options.separator().equals(",")) {
                var only = names.getFirst();
                CsvRecords.separatorIn(only)
                        .or(() -> only.contains(",") ? Optional.of(",") : Optional.empty())
                        .ifPresent(name -> {
                            throw new ProblemException(
                                    PARAMETER_INVALID,
                                    "the first line does not have the separator "
                                            + ShortText.of(options.separator(), 20)
                                            + ", but " + name + ": is that the separator? then say sep="
                                            + (name.equals(";") ? "%3B" : name) + "; for a single column say sep=,");
                        });
            }
            if (names.size() == 1 && !options.separatorGiven()) {
                CsvRecords.separatorIn(names.getFirst()).ifPresent(name -> {
                    throw new ProblemException(
                            PARAMETER_INVALID,
                            "the first line is one column, with " + name + " in it: is " + name
                                    + " the separator? then add sep=" + (name.equals(";") ? "%3B" : name)
                                    + " to the query, else sep=,");
                });
            }
            CsvRecords.twice(names).ifPresent(name -> {
                throw new ProblemException(CONTENT_INVALID, "the first line names the column " + name + " twice");
            });
            int id = options.id().orElse(-1);
            if (id >= names.size()) {
                throw new ProblemException(
                        PARAMETER_INVALID,
                        "id is column " + id + ", counted from 0, but the first line has " + names.size()
                                + (names.size() == 1 ? " column" : " columns"));
            }
        }

        /// How many rows have more cells than the first line names.
        static long wider(BsonArray rows) {
            return rows.stream()
                    .filter(row -> row.asDocument().containsKey(UNNAMED + 0))
                    .count();
        }

        private static RawBsonDocument row(List<String> names, List<Cell> cells, CsvOptions options) {
            var row = new BsonDocument();
            for (int i = 0; i < cells.size(); i++) {
                var name = i < names.size() ? names.get(i) : UNNAMED + (i - names.size());
                row.put(options.id().orElse(-1) == i ? "_id" : name, value(cells.get(i)));
            }
            for (int i = 0; i < options.properties().size(); i++) {
                row.put(options.properties().get(i), Form.cell(options.values().get(i)));
            }
            return RawDocuments.compact(RawDocuments.encode(row));
        }

        /// In quotes, only objects and arrays are JSON.
        private static BsonValue value(Cell cell) {
            boolean isText = cell.quoted()
                    && !cell.text().startsWith("{")
                    && !cell.text().startsWith("[");
            return isText ? new BsonString(cell.text()) : Form.cell(cell.text());
        }
    }

    /// Options of loading a CSV file.
    ///
    /// @param id the column with `_id`, counted from 0
    /// @param separator between cells, literal; not empty
    /// @param separatorGiven whether the client named it
    /// @param update whether rows update documents by `_id` instead of being inserted
    /// @param upsert whether an update inserts missing documents
    /// @param properties names of fields that every row gets, with [#values()]
    record CsvOptions(
            String db,
            String collection,
            OptionalInt id,
            String separator,
            boolean separatorGiven,
            boolean update,
            boolean upsert,
            List<String> properties,
            List<String> values) {
        private static final int MAX_SEPARATOR = 20;
        private static final KnownKeys KNOWN = KnownKeys.of("db coll id sep update upsert props values")
                .meantBy("separator=sep delimiter=sep delim=sep database=db collection=coll key=id _id=id");

        /// Parameters that filters before the loader read.
        private static final Set<String> ELSEWHERE = Set.of("pretty", "cache");

        CsvOptions {
            properties = List.copyOf(properties);
            values = List.copyOf(values);
        }

        /// @throws ProblemException 400
        static CsvOptions parse(Query query) {
            requireSpelling(query);
            var options = new CsvOptions(
                    mandatory(query, "db"),
                    mandatory(query, "coll"),
                    id(query),
                    separator(query),
                    query.has("sep"),
                    query.first("update").filter("true"::equals).isPresent(),
                    query.first("upsert").filter("false"::equals).isEmpty(),
                    query.all("props"),
                    query.all("values"));
            if (options.update() && options.id().isEmpty()) {
                throw refuse("id must be set when update=true");
            }
            if (options.properties().size() != options.values().size()) {
                throw refuse("props and values must come in pairs");
            }
            return options;
        }

        private static void requireSpelling(Query query) {
            ParameterWarnings.refuseBrackets(query);
            for (var name : query.names()) {
                var isWord = KNOWN.words().containsKey(name.toLowerCase(Locale.ROOT));
                if (!KNOWN.known().contains(name)
                        && (isWord || name.length() >= 3)
                        && KNOWN.near(name).isPresent()) {
                    throw refuse("unknown parameter " + name + KNOWN.question(name));
                }
            }
        }

        /// Names of parameters that have no effect here, and are close to none that has.
        static List<String> unknown(Query query) {
            return query.names().stream()
                    .filter(name -> !KNOWN.known().contains(name) && !ELSEWHERE.contains(name))
                    .sorted()
                    .toList();
        }

        private static String mandatory(Query query, String name) {
            return query.first(name)
                    .filter(value -> !value.isEmpty())
                    .orElseThrow(() -> refuse(name + " qparam is mandatory"));
        }

        private static OptionalInt id(Query query) {
            var text = query.first("id");
            if (text.isEmpty()) {
                return OptionalInt.empty();
            }
            try {
                int column = Integer.parseInt(text.get());
                if (column >= 0) {
                    return OptionalInt.of(column);
                }
            } catch (NumberFormatException _) {
                // refused below, as a negative number is
            }
            throw refuse("id must be the number of a column, counted from 0");
        }

        private static String separator(Query query) {
            var separator = unescaped(query.first("sep").orElse(","));
            if (separator.isEmpty() || separator.length() > MAX_SEPARATOR || separator.contains("\"")) {
                throw refuse("sep must be 1 to " + MAX_SEPARATOR + " characters without quotes");
            }
            return separator;
        }

        /// `\t` is a tab; any other character may be escaped by a backslash, as in regular expressions.
        /// The separator is never used as a regular expression, whose run time a client could control.
        private static String unescaped(String text) {
            var separator = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '\\' && i + 1 < text.length()) {
                    c = text.charAt(++i);
                    separator.append(c == 't' ? '\t' : c);
                } else {
                    separator.append(c);
                }
            }
            return separator.toString();
        }

        private static ProblemException refuse(String message) {
            return new ProblemException(PARAMETER_INVALID, message);
        }
    }
}
