package org.restheart.rest.schema;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Update;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.DataRequest.DocumentValidation;
import org.restheart.rest.resource.Mounts;

/// Authorizes writes of the property `jsonSchema`, and of schemas that refer to others: since refusals of
/// documents reveal the content of a schema, only callers who may read the schema may name it, and only
/// those who may read the schemas of other databases to which it refers. Immutable.
///
/// @param judged decides whether a caller may read a schema
public record SchemaAccess(JudgedRequests judged, Mounts mounts, Schemas schemas) {
    private static final Problem REFUSED =
            Problem.of(ProblemCode.FORBIDDEN, "'jsonSchema' has to name a schema that the caller may read");

    /// The id of a schema that has none yet.
    private static final BsonString NEW = new BsonString("new");

    /// The validation of schemas that a caller writes.
    ///
    /// @param db of the store
    public DocumentValidation ofSchemas(Request request, String db) {
        return (document, _) -> {
            var id = document.get("_id");
            var key = new SchemaKey(db, id != null && SchemaKey.isId(id) ? id : NEW);
            if (!mayReadAll(request, schemas.foreign(key, SchemaForm.meant(document, key.uri())))) {
                throw new ProblemException(
                        ProblemCode.FORBIDDEN,
                        "a schema may refer to those schemas of other databases only that the caller may read");
            }
            request.attribute(FoundWarnings.KEY)
                    .ifPresent(found -> schemas.missing(key, SchemaForm.meant(document, key.uri())).stream()
                            .map(missing -> "the schema refers to " + missing.place() + ", which does not exist")
                            .forEach(found::add));
        };
    }

    private boolean mayReadAll(Request request, Set<SchemaKey> keys) {
        return keys.stream().allMatch(key -> mayReadItself(request, key));
    }

    /// May block.
    ///
    /// @param properties all of a collection
    /// @throws ProblemException 403
    public void check(DataRequest request, BsonDocument properties) {
        Optional.ofNullable(properties.get(SchemaReference.PROPERTY)).ifPresent(named -> checkNamed(request, named));
    }

    /// May block.
    ///
    /// @param update of a collection's properties
    /// @throws ProblemException 403; 400 for changes whose result only MongoDB can compute
    public void check(DataRequest request, Update update) {
        if (!(update instanceof Update.Operators(var operators, var _))) {
            return;
        }
        var named = stored(request).map(BsonDocument::clone).orElseGet(BsonDocument::new);
        boolean changed = false;
        for (var operator : operators.entrySet()) {
            for (var change : operator.getValue().asDocument().entrySet()) {
                if (touches(change.getKey())
                        || (operator.getKey().equals("$rename")
                                && change.getValue() instanceof BsonString to
                                && touches(to.getValue()))) {
                    changed = true;
                    apply(request, operator.getKey(), change.getKey(), change.getValue(), named);
                }
            }
        }
        if (changed) {
            checkNamed(request, named);
        }
    }

    private static boolean touches(String path) {
        return FieldPath.isWithin(path, SchemaReference.PROPERTY);
    }

    private void apply(DataRequest request, String operator, String path, BsonValue value, BsonDocument named) {
        boolean whole = path.equals(SchemaReference.PROPERTY);
        var part = path.substring(Math.min(path.length(), SchemaReference.PROPERTY.length() + 1));
        switch (operator) {
            case "$set", "$setOnInsert" -> {
                if (whole) {
                    checkNamed(request, value);
                } else {
                    named.put(part, value);
                }
            }
            case "$unset" -> {
                if (whole) {
                    named.clear();
                } else {
                    named.remove(part);
                }
            }
            default ->
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, "jsonSchema can be changed only by $set and $unset");
        }
    }

    private static Optional<BsonDocument> stored(DataRequest request) {
        return request.resource()
                .property(SchemaReference.PROPERTY)
                .filter(BsonValue::isDocument)
                .map(BsonValue::asDocument);
    }

    /// Warns of a write of the property that names a schema that is not there yet, or that refers to one
    /// that is not. Only after [#check], which refuses schemas that the caller may not read. May block.
    ///
    /// @param property `jsonSchema` as written; null if it was not
    public void warn(DataRequest request, @Nullable BsonValue property) {
        var found = request.http().attribute(FoundWarnings.KEY);
        var named = property instanceof BsonDocument value
                ? reference(request.path().requireDb(), value)
                : Optional.<SchemaKey>empty();
        if (found.isEmpty() || named.isEmpty()) {
            return;
        }
        var key = named.get();
        if (isMissing(request, key)) {
            found.get().add("every write of a document will fail until there is a schema " + key.place());
        } else {
            schemas.missing(key).stream()
                    .map(missing -> "writes of documents will fail until there is a schema " + missing.place()
                            + ", to which " + key.place() + " refers")
                    .forEach(found.get()::add);
        }
    }

    private boolean isMissing(DataRequest request, SchemaKey key) {
        return path(request.http(), key)
                .filter(path -> {
                    try {
                        var _ = judged.make(request.http(), JudgedRequest.of(Method.GET, path, Query.NONE, Via.REST))
                                .settled();
                        return false;
                    } catch (ProblemException e) {
                        return e.problem().status() == 404 && !JudgedRequests.isNotPermitted(e.problem());
                    }
                })
                .isPresent();
    }

    /// A reference that is stored already is not checked again.
    private void checkNamed(DataRequest request, BsonValue value) {
        if (value.isDocument() && !stored(request).filter(value::equals).isPresent()) {
            reference(request.path().requireDb(), value.asDocument()).ifPresent(key -> {
                if (!mayRead(request.http(), key)) {
                    throw REFUSED.raise();
                }
            });
        }
    }

    /// Refuses callers who may not read a schema. May block.
    ///
    /// @throws ProblemException 403
    public void requireReadable(DataRequest request, SchemaKey key) {
        if (!mayRead(request.http(), key)) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN, "this would reveal a schema that the caller may not read");
        }
    }

    /// Empty for one that names no schema, and so lets no documents in.
    private static Optional<SchemaKey> reference(String db, BsonDocument property) {
        try {
            return Optional.of(new SchemaReference(db, property).key());
        } catch (ProblemException _) {
            return Optional.empty();
        }
    }

    private Optional<RequestPath> path(Request request, SchemaKey key) {
        var connection = request.connection();
        return mounts.pathOf(connection, List.of(key.db(), Schemas.COLLECTION, key.idText()))
                .filter(found -> mounts.resolve(found, connection)
                        .map(Mounts.Located::path)
                        .filter(target ->
                                target.kind() == ResourceKind.SCHEMA && key.db().equals(target.db()))
                        .isPresent());
    }

    private boolean mayRead(Request request, SchemaKey key) {
        return mayReadItself(request, key) && mayReadAll(request, schemas.foreign(key));
    }

    /// Also where there is none yet and the caller could read it.
    private boolean mayReadItself(Request request, SchemaKey key) {
        var path = path(request, key);
        if (path.isEmpty()) {
            return false;
        }
        try {
            return judged.facts(request, JudgedRequest.of(Method.GET, path.get(), Query.NONE, Via.REST))
                    .filter(facts -> facts.grant().readFilter().isEmpty())
                    .isPresent();
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return e.problem().status() == 404 && !JudgedRequests.isNotPermitted(e.problem());
        }
    }
}
