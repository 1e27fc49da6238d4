package org.restheart.rest.validator;

import static com.mongodb.client.model.Filters.eq;
import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.FORBIDDEN;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.data.Access;
import org.restheart.data.Operation.Write;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.metadata.StoredMetadata;
import org.restheart.mongo.write.CollectionLock;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.resource.Mounts;
import org.restheart.rest.schema.SchemaAccess;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.schema.Schemas.StoredSchema;
import org.restheart.rest.validator.SchemaTranslator.TranslatedSchema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// MongoDB's validators of collections that were made from the collection's JSON Schema: updates them when
/// the schema changes. A validator itself is marked as made from a schema. Blocks for MongoDB. Thread-safe.
public final class Validators {
    private static final Logger LOG = LoggerFactory.getLogger(Validators.class);

    /// How often a translation is repeated because the schema has changed meanwhile.
    private static final int ATTEMPTS = 5;

    /// How often, and after which pause, all validators are compared again in the background after a
    /// failure: long enough for an election.
    private static final int RETRIES = 10;

    private static final Duration RETRY_PAUSE = Duration.ofSeconds(5);

    private static final Map<String, Set<String>> OPTIONS = Map.of(
            "validationLevel", Set.of("strict", "moderate"),
            "validationAction", Set.of("error", "warn"));
    private static final Set<String> FLAGS = Set.of("weaker", "replace");

    private static final int MAX_NAMES = 10;

    private final MongoClient client;
    private final Schemas schemas;
    private final SchemaAccess access;
    private final Mounts mounts;
    private final BiPredicate<String, String> isProtected;
    private final BackgroundTasks tasks;
    private final AtomicBoolean changed = new AtomicBoolean();
    private final AtomicBoolean busy = new AtomicBoolean();

    /// @param isProtected whether a collection, of a database, has no validator made from a schema: MongoDB
    ///     checks whole documents, so who may change the schema would find out what is in properties that
    ///     nobody is shown
    public Validators(
            BackgroundTasks tasks,
            MongoClient client,
            Schemas schemas,
            SchemaAccess access,
            Mounts mounts,
            BiPredicate<String, String> isProtected) {
        this.tasks = tasks;
        this.client = client;
        this.schemas = schemas;
        this.access = access;
        this.mounts = mounts;
        this.isProtected = isProtected;
        schemas.onChange(this::followSoon);
    }

    /// A write of JSON Schemas, or of properties by which collections name them, that updates validators
    /// before it responds.
    public DataHandler followed(DataHandler write) {
        return request -> followed(write, request);
    }

    private Response followed(DataHandler write, DataRequest request) {
        request.http().requireThread();
        var response = write.handle(request).settled();
        if (response.status() >= 400) {
            return response;
        }
        boolean schemas = request.path().kind().isSchemas();
        var warned = with(response, schemas ? ofSchemas(request) : ofCollection(request));
        return schemas && request.operation() == Write.DELETE ? with(warned, ofRemoved(request)) : warned;
    }

    private static Response.Ready with(Response.Ready response, String warning) {
        return warning.isEmpty() ? response : response.withAlso("Warning", FoundWarnings.line(warning));
    }

    private String ofRemoved(DataRequest request) {
        try {
            var naming = naming(request.path().requireDb(), request.id());
            return naming.isEmpty()
                    ? ""
                    : "the deleted schema still applies, so writes of documents fail: " + shown(request, naming);
        } catch (MongoException e) {
            LOG.warn("The collections of a deleted JSON Schema could not be found", e);
            return "";
        }
    }

    private String ofCollection(DataRequest request) {
        var path = request.path();
        return follow(path.requireDb(), path.requireCollection())
                ? ""
                : "MongoDB's validator of this collection differs from the JSON Schema; GET .../_validator tells"
                        + " how";
    }

    private String ofSchemas(DataRequest request) {
        try {
            var differing = followAll();
            return differing.isEmpty()
                    ? ""
                    : "MongoDB's validators differ from the JSON Schema: " + shown(request, differing)
                            + "; GET .../_validator tells how";
        } catch (MongoException e) {
            LOG.warn("MongoDB's validators could not be compared with changed JSON Schemas", e);
            return "MongoDB's validators could not be compared with the JSON Schema; that is tried again soon";
        }
    }

    /// The names only for callers who may see all collections.
    private static String shown(DataRequest request, List<String> collections) {
        int count = collections.size();
        if (!(request.grant() instanceof Access.Root)) {
            return count == 1 ? "1 collection" : count + " collections";
        }
        return String.join(", ", collections.subList(0, Math.min(count, MAX_NAMES)))
                + (count > MAX_NAMES ? " and " + (count - MAX_NAMES) + " more" : "");
    }

    boolean areRefused(String db, String collection) {
        return isProtected.test(db, collection);
    }

    /// The validator of a collection; empty if it has none.
    Optional<StoredValidator> find(String db, String collection) {
        return StoredMetadata.info(client.getDatabase(db), collection).flatMap(StoredValidator::of);
    }

    /// @throws ProblemException 422 for a schema that is too large
    TranslatedSchema translate(StoredSchema schema) {
        return SchemaTranslator.translate(
                schema.schema(), schema.key().uri(), schema.key().idText(), schemas.referred(schema));
    }

    /// Sets or removes the validator of a collection.
    ///
    /// @param options of `collMod`
    /// @throws MongoException if MongoDB refuses it
    /// @throws ProblemException 503 if transactions hold the collection
    void set(String db, String collection, BsonDocument validator, BsonDocument options) {
        var command = new BsonDocument("collMod", new BsonString(collection)).append("validator", validator);
        command.putAll(options);
        command.put("maxTimeMS", new BsonInt32(SessionCollection.limitMillis()));
        var _ = CollectionLock.within(() -> client.getDatabase(db).runCommand(command, BsonDocument.class));
    }

    /// Updates the validator of a collection from its schema, if it was made from one.
    ///
    /// @return false if the validator now differs from the schema, because it cannot express it or MongoDB
    ///     has failed
    boolean follow(String db, String collection) {
        return CallerScope.call(CallerScope.SERVER, () -> hasFollowed(db, collection));
    }

    private boolean hasFollowed(String db, String collection) {
        try {
            return followed(db, collection);
        } catch (MongoException | ProblemException e) {
            LOG.warn("The validator of {}.{} cannot follow its JSON Schema", db, collection, e);
            return false;
        }
    }

    private boolean followed(String db, String collection) {
        for (int i = 0; i < ATTEMPTS; i++) {
            var validator = find(db, collection).filter(StoredValidator::follows);
            if (validator.isEmpty()) {
                return true;
            }
            if (areRefused(db, collection)) {
                LOG.warn("The validator of {}.{} is removed; the gateway alone checks its JSON Schema", db, collection);
                set(db, collection, new BsonDocument(), new BsonDocument());
                return true;
            }
            var schema = schemas.named(
                    db,
                    StoredMetadata.properties(client.getDatabase(db), Metadata.propertiesId(collection))
                            .orElseGet(BsonDocument::new));
            if (schema.isEmpty()) {
                LOG.info("{}.{} has no JSON Schema any more; its validator is removed", db, collection);
                set(db, collection, new BsonDocument(), new BsonDocument());
                return true;
            }
            var translation = translate(schema.get());
            var wanted = StoredValidator.following(schema.get(), translation);
            if (validator.get().validator().equals(wanted)) { // also read after it was set: nobody has set an older one
                if (!translation.isComplete() && i > 0) {
                    LOG.warn(
                            "The validator of {}.{} holds less than its JSON Schema: {}",
                            db,
                            collection,
                            translation.leftOut().stream()
                                    .map(TranslatedSchema.LeftOut::text)
                                    .toList());
                }
                return translation.isComplete();
            }
            set(db, collection, wanted, new BsonDocument());
        }
        return false;
    }

    /// Updates all validators that were made from schemas, after some of these have changed.
    ///
    /// @return the full names of the collections whose validator now differs from the schema
    /// @throws MongoException if the validators cannot be listed; they are compared again later in the
    ///     background
    List<String> followAll() {
        try {
            return CallerScope.call(CallerScope.SERVER, this::allFollowed);
        } catch (MongoException e) {
            followSoon();
            throw e;
        }
    }

    private List<String> allFollowed() {
        var incomplete = new ArrayList<String>();
        for (var db : databases()) {
            for (var collection : following(db)) {
                if (!hasFollowed(db, collection)) {
                    incomplete.add(db + "." + collection);
                }
            }
        }
        return incomplete;
    }

    private List<String> following(String db) {
        var names = new ArrayList<String>();
        client.getDatabase(db)
                .listCollections(BsonDocument.class)
                .filter(Filters.exists("options.validator"))
                .forEach(info -> StoredValidator.of(info)
                        .filter(StoredValidator::follows)
                        .ifPresent(_ -> names.add(info.getString("name").getValue())));
        return names;
    }

    private Set<String> databases() {
        var named = mounts.databases();
        if (!named.isEmpty()) {
            return named;
        }
        var all = client.listDatabaseNames().into(new HashSet<>());
        all.removeIf(ResourceNames::isReservedDb);
        return all;
    }

    /// The full names of the collections whose properties name a schema.
    ///
    /// @param db of its store
    List<String> naming(String db, BsonValue schema) {
        return CallerScope.call(
                CallerScope.SERVER,
                () -> databases().stream()
                        .flatMap(each -> naming(each, db, schema).stream())
                        .toList());
    }

    private List<String> naming(String db, String store, BsonValue schema) {
        var named = new ArrayList<>(List.of(eq("jsonSchema.schemaStoreDb", store)));
        if (db.equals(store)) {
            named.add(Filters.exists("jsonSchema.schemaStoreDb", false));
        }
        var prefix = Metadata.propertiesId("");
        return client
                .getDatabase(db)
                .getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .find(Filters.and(eq("jsonSchema.schemaId", schema), Filters.or(named)))
                .projection(Projections.include("_id"))
                .map(properties -> properties.get("_id"))
                .into(new ArrayList<>())
                .stream()
                .filter(id ->
                        id != null && id.isString() && id.asString().getValue().startsWith(prefix))
                .map(id -> db + "." + id.asString().getValue().substring(prefix.length()))
                .toList();
    }

    /// As [#followAll], on another thread, and once for many changes.
    private void followSoon() {
        changed.set(true);
        if (tasks.isRunning() && busy.compareAndSet(false, true)) {
            tasks.start("validators", this::followWhileChanged);
        }
    }

    private void followWhileChanged() {
        try {
            for (int failures = 0; tasks.isRunning() && failures <= RETRIES && changed.getAndSet(false); ) {
                try {
                    var _ = CallerScope.call(CallerScope.SERVER, this::allFollowed);
                } catch (MongoException e) {
                    failures++;
                    LOG.warn("MongoDB's validators could not be compared with changed JSON Schemas: {}", e.toString());
                    tasks.pause(RETRY_PAUSE);
                    changed.set(failures <= RETRIES);
                }
            }
        } finally {
            busy.set(false);
        }
        if (changed.get()) {
            followSoon();
        }
    }

    /// `PUT /{db}/{collection}/_validator`: makes the validator from the schema.
    public Response put(DataRequest request) {
        var wanted = request.contentDocument();
        check(wanted);
        if (areRefused(request.path().requireDb(), request.path().requireCollection())) {
            throw new ProblemException(FORBIDDEN, "no validator is made for collections of accounts and permissions");
        }
        if (request.grant().projectResponse().isPresent()) {
            throw new ProblemException(
                    FORBIDDEN, "a validator would tell what is in properties that are not shown to you");
        }
        request.http().requireThread();
        var schema = schema(request)
                .orElseThrow(() -> new ProblemException(
                        CONTENT_INVALID, "the collection has no jsonSchema, from which a validator is made"));
        access.requireReadable(request, schema.key());
        var db = request.path().requireDb();
        var collection = request.path().requireCollection();
        var before = find(db, collection);
        if (before.filter(found -> !found.follows()).isPresent() && !isOn(wanted, "replace")) {
            throw new ProblemException(
                    CONFLICT,
                    "the collection has a validator that was not made from its schema; \"replace\": true"
                            + " replaces it");
        }
        var translation = translate(schema);
        if (!translation.isComplete() && !isOn(wanted, "weaker")) {
            throw incomplete(translation);
        }
        var options = new BsonDocument();
        OPTIONS.keySet().stream()
                .filter(wanted::containsKey)
                .sorted()
                .forEach(name -> options.append(name, wanted.get(name)));
        set(request, StoredValidator.following(schema, translation), options);
        follow(db, collection); // the schema may have changed meanwhile
        return find(db, collection)
                .map(stored -> JsonResponses.of(request, before.isEmpty() ? 201 : 200, shown(schema, stored)))
                .orElseGet(() -> JsonResponses.empty(200));
    }

    private void set(DataRequest request, BsonDocument validator, BsonDocument options) {
        try {
            set(request.path().requireDb(), request.path().requireCollection(), validator, options);
        } catch (MongoCommandException e) {
            if (MongoCodes.isOfDeployment(e.getErrorCode()) || e.getErrorCode() == MongoCodes.UNAUTHORIZED) {
                throw e;
            }
            throw Problem.of(UNPROCESSABLE, "MongoDB does not take the validator")
                    .because(MongoErrors.details(e))
                    .raise();
        }
    }

    /// `GET /{db}/{collection}/_validator`: the validator, and whether it holds all of the schema.
    public Response get(DataRequest request) {
        request.http().requireThread();
        var stored = following(request);
        var schema = schema(request).orElseThrow(Validators::missing);
        access.requireReadable(request, schema.key());
        return JsonResponses.of(request, 200, shown(schema, stored));
    }

    /// `DELETE /{db}/{collection}/_validator`: removes the validator; the gateway goes on checking.
    public Response delete(DataRequest request) {
        request.http().requireThread();
        following(request);
        set(request, new BsonDocument(), new BsonDocument());
        return JsonResponses.empty(204);
    }

    private StoredValidator following(DataRequest request) {
        return find(request.path().requireDb(), request.path().requireCollection())
                .filter(StoredValidator::follows)
                .orElseThrow(Validators::missing);
    }

    private static RuntimeException missing() {
        return new ProblemException(NOT_FOUND, "the collection has no validator that was made from its schema");
    }

    private Optional<StoredSchema> schema(DataRequest request) {
        return request.resource()
                .properties()
                .flatMap(properties -> schemas.named(request.path().requireDb(), properties));
    }

    private BsonDocument shown(StoredSchema schema, StoredValidator stored) {
        var translation = translate(schema);
        return new BsonDocument("_id", new BsonString("_validator"))
                .append("schema", new BsonString(schema.key().uri()))
                .append(
                        "current",
                        BsonBoolean.valueOf(stored.validator().equals(StoredValidator.following(schema, translation))))
                .append("complete", BsonBoolean.valueOf(translation.isComplete()))
                .append("leftOut", StoredValidator.texts(translation))
                .append("validationLevel", new BsonString(stored.level()))
                .append("validationAction", new BsonString(stored.action()))
                .append("validator", stored.validator());
    }

    private static RuntimeException incomplete(TranslatedSchema translation) {
        return Problem.of(
                        UNPROCESSABLE,
                        "MongoDB cannot express all of the schema; \"weaker\": true leaves out what it cannot")
                .withWarnings(translation.leftOut().stream()
                        .map(TranslatedSchema.LeftOut::text)
                        .toList())
                .raise();
    }

    private static boolean isOn(BsonDocument content, String flag) {
        return BsonBoolean.TRUE.equals(content.get(flag));
    }

    private static void check(BsonDocument content) {
        content.forEach((name, value) -> {
            var values = OPTIONS.get(name);
            boolean legal = values == null ? FLAGS.contains(name) && value.isBoolean() : isOneOf(value, values);
            if (!legal) {
                throw new ProblemException(
                        CONTENT_INVALID,
                        "illegal " + name + "; there are weaker and replace (booleans), validationLevel (strict"
                                + " or moderate) and validationAction (error or warn)");
            }
        });
    }

    private static boolean isOneOf(BsonValue value, Set<String> values) {
        return value.isString() && values.contains(value.asString().getValue());
    }

    /// A collection's validator in MongoDB. One that was made from the collection's JSON Schema is marked in
    /// its description, so that no other validator is taken for it. Immutable by agreement.
    record StoredValidator(BsonDocument validator, String level, String action) {
        private static final String SCHEMA = "$jsonSchema";
        private static final String DESCRIPTION = "description";
        private static final String MARK = "RESTHeart keeps this equal to the JSON Schema ";

        /// @param info of `listCollections`
        static Optional<StoredValidator> of(BsonDocument info) {
            var options = info.getDocument("options", new BsonDocument());
            return Optional.of(options.getDocument("validator", new BsonDocument()))
                    .filter(validator -> !validator.isEmpty())
                    .map(validator -> new StoredValidator(
                            validator,
                            text(options, "validationLevel", "strict"),
                            text(options, "validationAction", "error")));
        }

        private static String text(BsonDocument options, String name, String otherwise) {
            return options.getString(name, new BsonString(otherwise)).getValue();
        }

        static BsonDocument following(StoredSchema schema, TranslatedSchema translation) {
            var described = new BsonDocument(
                    DESCRIPTION,
                    new BsonString(MARK
                            + schema.key().uri()
                            + (translation.isComplete() ? "" : "; what MongoDB cannot express is left out")));
            described.putAll(translation.schema());
            return new BsonDocument(SCHEMA, described);
        }

        /// Whether it was made from a JSON Schema.
        boolean follows() {
            return validator.size() == 1
                    && validator.get(SCHEMA) instanceof BsonDocument schema
                    && schema.get(DESCRIPTION) instanceof BsonString text
                    && text.getValue().startsWith(MARK);
        }

        static BsonArray texts(TranslatedSchema translation) {
            var texts = new BsonArray();
            translation
                    .leftOut()
                    .forEach(left -> texts.add(new BsonDocument("path", new BsonString(left.path()))
                            .append("keyword", new BsonString(left.keyword()))
                            .append("why", new BsonString(left.why()))));
            return texts;
        }
    }
}
