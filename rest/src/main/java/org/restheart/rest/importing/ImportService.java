package org.restheart.rest.importing;

import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.OVERLOADED;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;
import static org.restheart.http.ProblemCode.TOO_MANY_REQUESTS;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Accepted;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.EventStream;
import org.restheart.http.Fields;
import org.restheart.http.KnownKeys;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.rest.bulk.PostLines;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.format.Csv;
import org.restheart.rest.format.CsvReader;
import org.restheart.rest.format.DocumentContent;
import org.restheart.rest.format.DocumentContent.Room;
import org.restheart.rest.format.DocumentFormat.BsonBytes;
import org.restheart.rest.format.DocumentFormat.JsonLines;
import org.restheart.rest.format.DocumentReader;
import org.restheart.rest.format.JsonDocumentReader;
import org.restheart.rest.idempotency.Creation.NewIds;
import org.restheart.rest.importing.ImportStore.Owner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST /_imports?into=/db/coll`: stores the content, answers `202`, and writes it in the background, also
/// after the client has disconnected. Below it, each import is a resource that only its owner can access: `GET`
/// returns its status or, as server-sent events, its progress; `GET errors` the refused documents; `PATCH`
/// resumes it; `DELETE` removes it. Thread-safe.
public final class ImportService implements Service {
    private static final int PARALLEL = 4;

    /// The identity of accounts without one, which have no imports.
    private static final String NOBODY = "";

    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);

    /// Its own, and those of filters before the service.
    private static final KnownKeys PARAMETERS =
            KnownKeys.of("into wm pretty noauthchallenge").meantBy("writemode=wm");

    private final ImportConfig config;
    private final int depth;
    private final ImportStore store;
    private final JudgedRequests judged;
    private final ImportRun run;
    private final ImportOwners owners;
    private final Function<Request, Problem> challenge;

    /// @param challenge the response to requests without an account
    public ImportService(
            ImportConfig config,
            MongoClient client,
            BackgroundTasks tasks,
            JudgedRequests judged,
            ImportOwners owners,
            Function<Request, Problem> challenge) {
        this.config = config;
        this.depth = RequestPath.parse(config.uri()).segments().size();
        this.store = new ImportStore(client, config.db());
        this.judged = judged;
        this.owners = owners;
        this.run = new ImportRun(store, judged, tasks, new FairShares(PARALLEL), owners, config.maxBytesPerAccount());
        this.challenge = challenge;
    }

    public String uri() {
        return config.uri();
    }

    @Override
    public Cors cors(Request request) {
        return new Cors("GET, POST, PATCH, DELETE", Cors.DEFAULT_HEADERS, "Location");
    }

    @Override
    public boolean streamsContent(Request request) {
        return request.method() == Method.POST;
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        if (request.caller().account().isEmpty()) {
            throw challenge.apply(request).raise();
        }
        var owner = owner(request, owners.of(request, false).orElse(NOBODY));
        var below = request.path()
                .segments()
                .subList(depth, request.path().segments().size());
        return switch (below.size()) {
            case 0 ->
                switch (request.method()) {
                    case GET -> json(request, 200, new BsonArray(store.statuses(store.all(owner))));
                    case POST -> receive(request);
                    default -> throw Problem.notAllowed("GET, POST").raise();
                };
            case 1 -> one(request, owner, find(below.getFirst(), owner));
            case 2 -> {
                var job = find(below.getFirst(), owner);
                if (!below.getLast().equals("errors")) {
                    throw missing();
                }
                request.requireMethod(Method.GET);
                yield errors(request, job);
            }
            default -> throw missing();
        };
    }

    private static ProblemException missing() {
        return new ProblemException(NOT_FOUND, "no such import");
    }

    private Owner owner(Request request, String account) {
        return new Owner(account, owners.key(request));
    }

    private BsonDocument find(String id, Owner owner) {
        return store.find(id, owner).orElseThrow(ImportService::missing);
    }

    private Response one(Request request, Owner owner, BsonDocument job) {
        var id = job.getString("_id").getValue();
        return switch (request.method()) {
            case GET ->
                EventStream.isAccepted(request.headers())
                        ? progress(withoutContent(request), owner, id)
                        : json(request, 200, store.status(job)).with(Accepted.VARY);
            case PATCH -> {
                resume(request, id, job);
                yield json(request, 202, store.status(find(id, owner)));
            }
            case DELETE -> {
                store.delete(id);
                yield Response.status(204);
            }
            default -> throw Problem.notAllowed("GET, PATCH, DELETE").raise();
        };
    }

    /// Ends when the account is no longer the owner.
    private Response progress(Request request, Owner owner, String id) {
        var progress = new ImportProgress(() -> owners.of(request, false)
                .filter(owner.account()::equals)
                .flatMap(_ -> store.find(id, owner))
                .map(store::status));
        return EventStream.head()
                .with("text/event-stream", new Content.Streamed(progress, ImportProgress.HELD, request.lease()));
    }

    private void resume(Request request, String id, BsonDocument job) {
        if (!store.acquire(id)) {
            throw new ProblemException(
                    CONFLICT, "the import is done or under way, or its content did not arrive whole");
        }
        try {
            requireFew(job.getString("payer").getValue());
        } catch (ProblemException e) {
            store.end(id, "stopped", Optional.of(e.problem().message()));
            throw e;
        }
        run.start(withoutContent(request), id, job);
    }

    /// Whose limits an import counts to: those of its account, or of the client's address for a session without an
    /// account of its own, of which a client may begin as many as it likes.
    private static String payer(String account) {
        var caller = CallerScope.current();
        return CallerScope.isAccount(caller) ? account : caller;
    }

    /// Called after the import is stored, so that concurrent ones cannot exceed the limit together.
    private void requireFew(String payer) {
        if (store.active(payer) > config.maxPerAccount()) {
            throw Problem.of(TOO_MANY_REQUESTS, config.maxPerAccount() + " imports of this account are under way")
                    .with("Retry-After", "10")
                    .raise();
        }
    }

    private static Request withoutContent(Request request) {
        return request.with(Body.EMPTY).blocking();
    }

    /// Refuses unknown parameters: an import under a wrong mode cannot be undone.
    private static void requireKnown(Query query) {
        for (var name : query.names()) {
            if (!PARAMETERS.known().contains(name)) {
                throw new ProblemException(PARAMETER_INVALID, "unknown parameter " + name + PARAMETERS.question(name));
            }
        }
    }

    private Response receive(Request request) {
        requireKnown(request.query());
        var into = request.query()
                .first("into")
                .filter(path -> path.startsWith("/"))
                .orElseThrow(ImportService::noCollection);
        boolean upsert = isUpsert(request.query());
        var reader = ImportContent.reader(request);
        requirePermission(request, into, upsert);
        var account = owners.of(request, true).orElseThrow(ImportService::missing);
        var payer = payer(account);
        var owner = owner(request, account);
        var id = store.create(owner, payer, into, upsert);
        boolean whole = false;
        try {
            requireFew(payer);
            long documents = new ImportContent(reader, store, config, payer, id).store();
            if (documents == 0) {
                throw PostLines.noData(reader instanceof CsvReader).raise();
            }
            store.received(id, documents);
            whole = true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (!whole) {
                store.delete(id);
            }
        }
        var job = find(id, owner);
        run.start(withoutContent(request), id, job);
        return json(request, 202, store.status(job))
                .with("Location", request.connection().basePath() + config.uri() + "/" + id);
    }

    private static boolean isUpsert(Query query) {
        return switch (query.first("wm").orElse("insert")) {
            case "insert" -> false;
            case "upsert" -> true;
            default -> throw new ProblemException(PARAMETER_INVALID, "wm must be insert or upsert");
        };
    }

    /// Makes a request as each part would: refused before gigabytes are stored.
    private void requirePermission(Request request, String into, boolean upsert) {
        try {
            var facts = judged.facts(request, ImportRun.request(into, upsert, new byte[0], Attributes.NONE));
            if (facts.isEmpty() || facts.get().kind() != ResourceKind.COLLECTION) {
                throw noCollection();
            }
        } catch (ProblemException e) {
            throw e.problem().equals(JudgedRequests.NOT_PERMITTED)
                    ? Problem.helpful(
                                    FORBIDDEN,
                                    "no permission covers POST " + into + (upsert ? "?wm=upsert" : "")
                                            + ", which an import into it makes")
                            .raise()
                    : e;
        }
    }

    private static ProblemException noCollection() {
        return new ProblemException(PARAMETER_INVALID, "into must be the path of a collection, such as into=/books");
    }

    private Response errors(Request request, BsonDocument job) {
        var refused = store.refused(job.getString("_id").getValue());
        var room = new Room(request.lease(), new Size(), ImportStore.REFUSED_AT_A_TIME);
        return DocumentContent.response(room, batch -> refused.batchSize(batch).cursor(), new JsonLines(JSON))
                .with("Content-Disposition", "attachment; filename=\"errors.ndjson\"");
    }

    private static Response.Ready json(Request request, int status, BsonValue value) {
        var out = new Utf8Buffer();
        JSON.encode(value, out);
        return JsonResponses.of(request, status, out);
    }

    /// Server-sent events (HTML, 9.2) with the status of an import, one per second until the import has
    /// ended. Confined to one response, which another thread may close.
    private static final class ImportProgress implements Content.Source {
        /// Bytes of an event.
        static final long HELD = 1 << 10;

        private static final Duration INTERVAL = Duration.ofSeconds(1);
        private static final List<String> UNDER_WAY = List.of("receiving", "running");
        private static final ByteBuffer END = ByteBuffer.allocate(0);

        private final Supplier<Optional<BsonDocument>> status;
        private final CountDownLatch closed = new CountDownLatch(1);
        private boolean begun;
        private boolean ended;

        /// @param status empty if the import was deleted, or no longer belongs to the account of this name
        ImportProgress(Supplier<Optional<BsonDocument>> status) {
            this.status = status;
        }

        @Override
        public ByteBuffer next() throws InterruptedException {
            if (ended || closed.await(begun ? INTERVAL.toNanos() : 0, TimeUnit.NANOSECONDS)) {
                return END;
            }
            begun = true;
            var now = status.get();
            ended = now.isEmpty()
                    || !UNDER_WAY.contains(now.get().getString("state").getValue());
            var out = new Utf8Buffer();
            out.ascii("data: ");
            JsonEncoder.of(JsonMode.RELAXED).encode(now.orElseGet(BsonDocument::new), out);
            out.ascii("\n\n");
            return out.toByteBuffer();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    /// Stores the content of an import in parts while it is received. Confined to one request.
    private static final class ImportContent {
        /// The most malformed documents of one import; each is stored with its reason.
        private static final int MAX_REFUSED = 10_000;

        private final DocumentReader reader;
        private final ImportStore store;
        private final ImportConfig config;
        private final String payer;
        private final String job;
        private long refused;

        ImportContent(DocumentReader reader, ImportStore store, ImportConfig config, String payer, String job) {
            this.reader = reader;
            this.store = store;
            this.config = config;
            this.payer = payer;
            this.job = job;
        }

        /// @throws ProblemException 415
        static DocumentReader reader(Request request) {
            var type = DataContent.mediaType(request);
            try {
                var in = request.body().stream();
                return type.equals("application/json")
                        ? new JsonDocumentReader(in)
                        : DataContent.reader(type, in)
                                .orElseThrow(() -> new ProblemException(
                                        CONTENT_TYPE_UNSUPPORTED,
                                        "Content-Type must be " + JsonLines.MEDIA_TYPE + ", " + BsonBytes.MEDIA_TYPE
                                                + ", " + Csv.MEDIA_TYPE + ", " + Csv.TABS + " or application/json"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /// @return the number of documents
        /// @throws ProblemException 400 for too many malformed documents; 413 or 503 for content that
        ///     exceeds a limit of stored bytes
        long store() throws IOException {
            long documents = 0;
            var part = ImportPart.empty(0);
            for (var entry = reader.next(); entry != null; entry = reader.next()) {
                documents++;
                add(entry, part);
                if (part.isFull()) {
                    store(part);
                    part = ImportPart.empty(part.number() + 1);
                }
            }
            if (!part.isEmpty()) {
                store(part);
            }
            return documents;
        }

        private void add(DocumentReader.Entry entry, ImportPart part) {
            switch (entry) {
                case DocumentReader.Entry.Malformed(var line, var problem) -> {
                    part.refuse(line, problem);
                    if (++refused > MAX_REFUSED) {
                        throw new ProblemException(
                                CONTENT_INVALID,
                                "more than " + MAX_REFUSED
                                        + " documents are malformed: is the Content-Type right?" + " The last: "
                                        + problem.message());
                    }
                }
                case DocumentReader.Entry.Parsed(var line, var value) -> {
                    if (value.isDocument()) {
                        part.add(line, value.asDocument());
                    } else {
                        part.refuse(line, 400, "not a document");
                    }
                }
            }
        }

        /// Counts the bytes after the part is stored, so that concurrent imports cannot exceed the limits
        /// together.
        private void store(ImportPart part) {
            if (!store.add(job, part)) {
                throw new ProblemException(NOT_FOUND, "the import was deleted");
            }
            var stored = store.storedBytes(payer);
            if (stored.byPayer() > config.maxBytesPerAccount()) {
                throw new ProblemException(
                        CONTENT_TOO_LARGE,
                        "the imports of this account take more than " + config.maxBytesPerAccount()
                                + " bytes: wait until others are done, delete them, or send less");
            }
            if (stored.byAll() > config.maxBytes()) {
                throw Problem.of(OVERLOADED, "the stored content of all imports exceeds its bound at the moment")
                        .with("Retry-After", "60")
                        .raise();
            }
        }
    }

    /// Writes the parts of imports sequentially, each by a judged request of the account that owns the
    /// import, so that permissions are evaluated for each part. Thread-safe.
    ///
    /// @param running limits the imports that write at the same time, with fair shares for accounts;
    ///     others wait
    /// @param maxBytes the most stored bytes for the imports of one payer
    record ImportRun(
            ImportStore store,
            JudgedRequests judged,
            BackgroundTasks tasks,
            FairShares running,
            ImportOwners owners,
            long maxBytes) {
        private static final Logger LOG = LoggerFactory.getLogger(ImportRun.class);
        private static final int ATTEMPTS = 6;
        private static final int SERVER_ERRORS = 500;

        /// The request that writes a part, or that determines whether one may be written.
        static JudgedRequest request(String into, boolean upsert, byte[] content, Attributes options) {
            return new JudgedRequest(
                    Method.POST,
                    RequestPath.parse(into),
                    upsert ? Query.of(Map.of(DataParameter.WRITE_MODE.wireName(), "upsert")) : Query.NONE,
                    Fields.of("Content-Type", BsonBytes.MEDIA_TYPE),
                    Body.of(content),
                    Via.REST,
                    options);
        }

        /// @param outer the owner's request, without content
        void start(Request outer, String job, BsonDocument stored) {
            var task = CallerScope.carried(() -> {
                try {
                    var reason = run(new Job(
                            outer,
                            job,
                            stored.getString("owner").getValue(),
                            stored.getString("payer").getValue(),
                            stored.getString("into").getValue(),
                            stored.getBoolean("upsert").getValue()));
                    reason.ifPresent(text -> store.end(job, "stopped", Optional.of(text)));
                } catch (MongoException e) { // another gateway may continue when the lease expires
                    LOG.warn("the import {} is interrupted", job, e);
                }
            });
            tasks.start("import", task);
        }

        /// @param outer the owner's request
        private record Job(Request outer, String id, String owner, String payer, String into, boolean upsert) {}

        /// @return the reason if it has stopped; empty if it is complete or another gateway has the lease
        private Optional<String> run(Job job) {
            var caller = CallerScope.current();
            while (!running.tryTake(caller)) {
                tasks.pause(Duration.ofSeconds(1));
                if (!tasks.isRunning() || !store.renew(job.id)) {
                    return Optional.of("the gateway has stopped");
                }
            }
            try {
                while (tasks.isRunning()) {
                    if (!store.renew(job.id)) {
                        return Optional.empty();
                    }
                    var part = store.next(job.id);
                    if (part.isEmpty()) { // complete, whatever has become of the credentials since the last part
                        store.end(job.id, "done", Optional.empty());
                        return Optional.empty();
                    }
                    if (!owners.isStill(job.outer, job.owner)) {
                        return Optional.of("the credentials are no longer good");
                    }
                    var failure = write(job, part.get());
                    if (failure.isPresent()) {
                        return failure;
                    }
                }
                return Optional.of("the gateway has stopped");
            } finally {
                running.release(caller);
            }
        }

        private Optional<String> write(Job job, ImportPart part) {
            if (part.size() == 0) {
                done(job, part, 0);
                return Optional.empty();
            }
            var content = part.content();
            var last = "";
            for (int attempt = 1; attempt <= ATTEMPTS && tasks.isRunning(); attempt++) {
                var begun = Instant.now();
                var options = NewIds.again(part.tag(), part.firstAttempt());
                var request = request(job.into, job.upsert, content, options);
                try (var lease = job.outer
                        .lease()
                        .another(List.of(CallerScope.current()), List.of())) { // the owner's request has ended
                    var report = judged.make(job.outer.with(lease), request)
                            .settled()
                            .said(DataWrite.Report.class); // none of writes that MongoDB does not acknowledge
                    var errors = report.map(DataWrite.Report::errors).orElseGet(List::of);
                    boolean complete = report.map(DataWrite.Report::complete).orElse(true);
                    if (complete && (attempt == ATTEMPTS || !hasBlocked(errors))) {
                        refuse(job, part, errors);
                        done(job, part, part.size() - errors.size());
                        return Optional.empty();
                    }
                    last = complete ? "documents are locked by transactions" : "MongoDB failed";
                } catch (ProblemException e) {
                    last = e.problem().status() + " " + e.problem().message();
                    if (e.problem().status() < SERVER_ERRORS) {
                        return Optional.of(last);
                    }
                }
                part.failed(begun);
                tasks.pause(Duration.ofSeconds(attempt));
                store.renew(job.id);
            }
            return Optional.of(last);
        }

        /// Refused documents are counted, and listed unless the account's limit of stored bytes is
        /// reached: their messages can be longer than the documents.
        private void done(Job job, ImportPart part, long stored) {
            long growth = part.growth(true);
            boolean listed = growth <= 0 || store.storedBytes(job.payer).byPayer() + growth <= maxBytes;
            store.done(job.id, part, stored, listed);
        }

        /// Whether documents could not be written because transactions have locked them: that ends.
        private static boolean hasBlocked(List<BsonDocument> errors) {
            return errors.stream()
                    .anyMatch(error -> error.getNumber("httpStatus").intValue() >= SERVER_ERRORS);
        }

        private static void refuse(Job job, ImportPart part, List<BsonDocument> errors) {
            for (var error : errors) {
                // content that access rules inspect is written as an array
                int index = error.containsKey("line")
                        ? error.getNumber("line").intValue() - 1
                        : error.getNumber("index").intValue();
                int status = error.getNumber("httpStatus").intValue();
                var why = status == 409 ? conflict(job, part) : "";
                part.refuse(
                        part.line(index),
                        status,
                        error.getString("message", new BsonString(why)).getValue());
            }
        }

        private static String conflict(Job job, ImportPart part) {
            return job.upsert && part.firstAttempt().isPresent()
                    ? "the document was changed after the first attempt to write it, or may not be replaced"
                    : "a document with this _id is there already";
        }
    }
}
