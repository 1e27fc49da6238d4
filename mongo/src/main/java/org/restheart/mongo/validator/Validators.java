package org.restheart.mongo.validator;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.resource.Mounts;
import org.restheart.mongo.resource.ResourceNames;
import org.restheart.mongo.schema.SchemaSource;
import org.restheart.mongo.schema.Schemas;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// MongoDB's validators of collections, as far as they were made from the collection's JSON Schema: these follow it
/// when it changes. Which ones these are is in the validator itself. Blocks for MongoDB. Thread-safe.
public final class Validators {
    private static final Logger LOG = LoggerFactory.getLogger(Validators.class);

    /// How often a translation is repeated because the schema has changed meanwhile.
    private static final int ATTEMPTS = 5;

    private final MongoClient client;
    private final Schemas schemas;
    private final Mounts mounts;
    private final BackgroundTasks tasks;
    private final AtomicBoolean changed = new AtomicBoolean();
    private final AtomicBoolean busy = new AtomicBoolean();

    public Validators(BackgroundTasks tasks, MongoClient client, Schemas schemas, Mounts mounts) {
        this.tasks = tasks;
        this.client = client;
        this.schemas = schemas;
        this.mounts = mounts;
        schemas.onChange(this::followSoon);
    }

    /// The validator of a collection; empty if it has none.
    Optional<StoredValidator> find(String db, String collection) {
        return Optional.ofNullable(client.getDatabase(db)
                        .listCollections(BsonDocument.class)
                        .filter(eq("name", collection))
                        .first())
                .flatMap(StoredValidator::of);
    }

    /// @throws ProblemException 422 for a schema that is too large
    TranslatedSchema translate(SchemaSource schema) {
        return SchemaTranslator.translate(schema.schema(), schema.uri(), schema.name(), schemas::ofUri);
    }

    /// Sets or removes the validator of a collection.
    ///
    /// @param options of `collMod`
    /// @throws MongoException if MongoDB refuses it
    void set(String db, String collection, BsonDocument validator, BsonDocument options) {
        var command = new BsonDocument("collMod", new BsonString(collection)).append("validator", validator);
        command.putAll(options);
        client.getDatabase(db).runCommand(command, BsonDocument.class);
    }

    /// Lets the validator of a collection follow its schema, if it was made from one.
    ///
    /// @return whether it holds all of the schema now, or is none of these
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
            var schema = schemas.named(db, properties(db, collection));
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

    private BsonDocument properties(String db, String collection) {
        var stored = client.getDatabase(db)
                .getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .find(eq("_id", Metadata.propertiesId(collection)))
                .first();
        return stored == null ? new BsonDocument() : stored;
    }

    /// Lets all validators follow their schemas, after some of these have changed.
    ///
    /// @return how many hold less than their schema, or could not follow
    int followAll() {
        return CallerScope.call(CallerScope.SERVER, this::allFollowed);
    }

    private int allFollowed() {
        int incomplete = 0;
        for (var db : databases()) {
            for (var collection : following(db)) {
                incomplete += hasFollowed(db, collection) ? 0 : 1;
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

    /// The same on another thread, once for many changes.
    private void followSoon() {
        changed.set(true);
        if (tasks.isRunning() && busy.compareAndSet(false, true)) {
            tasks.start("validators", this::followWhileChanged);
        }
    }

    private void followWhileChanged() {
        try {
            while (tasks.isRunning() && changed.getAndSet(false)) {
                followAll();
            }
        } catch (MongoException e) {
            LOG.debug("The validators of collections cannot be looked at", e);
        } finally {
            busy.set(false);
        }
        if (changed.get()) {
            followSoon();
        }
    }
}
