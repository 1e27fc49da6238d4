package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;
import static org.restheart.rest.content.UpdateOperators.SET;
import static org.restheart.rest.content.UpdateOperators.SET_ON_INSERT;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.write.EntityTags;

/// Converts the content of a `PATCH` to an update: operators unchanged, every other key in `$set`, an array as a
/// pipeline. Fields added by the collection and the access rule override those of the client.
public final class UpdateContent {
    /// MongoDB compares each field with all others of its document, and each value of `$pullAll` and `$addToSet`
    /// with all elements of the array, in a time that grows with the square of their number: half a second for so
    /// many fields. Its time limit does not end that.
    private static final int MAX_FIELDS = 10_000;

    private final BsonDocument operators = new BsonDocument();
    private final BsonDocument set = new BsonDocument();

    private UpdateContent() {}

    /// For one document, whose tag changes.
    ///
    /// @throws org.restheart.http.ProblemException 400, 413
    public static Update ofDocument(
            ServerFields fields, BsonValue target, BsonValue content, List<BsonDocument> arrayFilters, ObjectId etag) {
        var tag = new BsonDocument(EntityTags.FIELD, new BsonObjectId(etag));
        if (content.isArray()) {
            return pipeline(fields, content.asArray(), arrayFilters, tag);
        }
        var document = content.asDocument();
        var id = document.get("_id");
        if (id != null && !id.equals(target)) {
            throw invalid("_id in json data cannot be different than id in URL");
        }
        requireData(document);
        return operators(fields, withoutId(document, target), arrayFilters, tag);
    }

    /// For many documents, whose tags do not change. An `_id` is passed to MongoDB, which accepts an unchanged one.
    ///
    /// @throws org.restheart.http.ProblemException 400, 413
    public static Update.Operators ofDocuments(
            ServerFields fields, BsonDocument content, List<BsonDocument> arrayFilters) {
        requireData(content);
        return operators(fields, content, arrayFilters, new BsonDocument());
    }

    /// For the properties of a database or collection.
    ///
    /// @throws org.restheart.http.ProblemException 400, but not for an empty document
    public static Update.Operators ofProperties(
            ServerFields fields, BsonDocument content, List<BsonDocument> arrayFilters, ObjectId etag) {
        var tag = new BsonDocument(EntityTags.FIELD, new BsonObjectId(etag));
        if (content.isEmpty()) {
            return new Update.Operators(new BsonDocument(SET, tag));
        }
        var update = operators(fields, withoutId(content), arrayFilters, tag);
        update.document().forEach((operator, paths) -> escapePipelines(operator, paths.asDocument()));
        return update;
    }

    /// @param paths the operand of an update operator; changed
    private static void escapePipelines(String operator, BsonDocument paths) {
        UnaryOperator<BsonValue> escape = switch (operator) {
            case SET, SET_ON_INSERT -> EscapedKeys::escape;
            case "$push", "$addToSet" -> UpdateContent::escapePushed;
            default -> UnaryOperator.identity();
        };
        paths.replaceAll(
                (path, value) -> FieldPath.isWithin(path, NewDocument.PIPELINES) ? escape.apply(value) : value);
    }

    /// The keys of modifiers are kept; the elements of `$each` are escaped.
    private static BsonValue escapePushed(BsonValue value) {
        if (!value.isDocument() || !value.asDocument().containsKey("$each")) {
            return EscapedKeys.escape(value);
        }
        var modifiers = NewDocument.copy(value.asDocument());
        modifiers.computeIfPresent("$each", (_, elements) -> EscapedKeys.escape(elements));
        return modifiers;
    }

    private static ProblemException noData() {
        return invalid("no data provided");
    }

    private static void requireData(BsonDocument content) {
        if (content.isEmpty()) {
            throw noData();
        }
    }

    /// Removes an `_id` beside the changes, which repeats the target.
    private static BsonDocument withoutId(BsonDocument content) {
        var others = NewDocument.copy(content);
        others.remove("_id");
        return others;
    }

    /// The same in operators, as upserts of MongoDB have it.
    private static BsonDocument withoutId(BsonDocument content, BsonValue id) {
        var others = withoutId(content);
        for (var operator : List.of(SET, SET_ON_INSERT)) {
            if (others.get(operator) instanceof BsonDocument fields && id.equals(fields.get("_id"))) {
                others.put(operator, withoutId(fields));
            }
        }
        return others;
    }

    private static Update pipeline(
            ServerFields fields, BsonArray content, List<BsonDocument> arrayFilters, BsonDocument tag) {
        if (content.isEmpty()) {
            throw noData();
        }
        if (!arrayFilters.isEmpty()) {
            throw invalid("arrayFilters are for update operators; a pipeline selects elements by $map or $filter");
        }
        var last = new BsonDocument();
        fields.added().forEach((path, value) -> last.put(path, literal(value)));
        fields.merged().forEach((path, value) -> {
            last.keySet().removeIf(other -> UpdateOperators.overlap(other, path));
            last.put(path, literal(value));
        });
        tag.forEach((path, value) -> last.put(path, literal(value)));
        var stages = new ArrayList<BsonDocument>();
        content.forEach(stage -> stages.add(stage.asDocument()));
        fields.merged().keySet().forEach(path -> addContainers(path, stages));
        stages.add(new BsonDocument(SET, last));
        return new Update.Pipeline(stages);
    }

    /// @throws ProblemException 400 for the content of a `PATCH` that is written as a JSON Patch: its stages would only
    ///     be called unknown
    public static void refuseJsonPatch(BsonValue content) {
        if (content instanceof BsonArray changes
                && !changes.isEmpty()
                && changes.stream()
                        .allMatch(change -> change instanceof BsonDocument members
                                && members.containsKey("op")
                                && members.containsKey("path"))) {
            throw invalid("an array is an aggregation pipeline here; JSON Patch (RFC 6902) is not supported");
        }
    }

    /// Replaces arrays on the path by documents: a pipeline sets nothing in an array without elements.
    private static void addContainers(String path, List<BsonDocument> stages) {
        for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
            var field = new BsonString("$" + path.substring(0, dot));
            var isArray = new BsonDocument("$isArray", new BsonArray(List.of(field)));
            var container =
                    new BsonDocument("$cond", new BsonArray(List.of(isArray, literal(new BsonDocument()), field)));
            stages.add(new BsonDocument(SET, new BsonDocument(path.substring(0, dot), container)));
        }
    }

    /// A value in which `$` is not interpreted.
    private static BsonDocument literal(BsonValue value) {
        return new BsonDocument("$literal", value);
    }

    private static Update.Operators operators(
            ServerFields fields, BsonDocument content, List<BsonDocument> arrayFilters, BsonDocument tag) {
        var changes = new UpdateContent();
        content.forEach(changes::add);
        changes.requireFew();
        changes.remove(EntityTags.FIELD);
        changes.override(fields.added());
        changes.override(fields.merged());
        changes.override(tag);
        return changes.toUpdate(arrayFilters);
    }

    private void add(String key, BsonValue value) {
        if (!UpdateOperators.isOne(key)) {
            if (key.startsWith("$")) {
                throw UpdateOperators.unknown(key);
            }
            set.put(key, value);
        } else if (!value.isDocument()) {
            throw invalid("the value of " + key + " must be an object");
        } else if (key.equals(SET)) {
            set.putAll(value.asDocument());
        } else if (!key.equals(SET_ON_INSERT) || !value.asDocument().isEmpty()) {
            operators.put(key, NewDocument.copy(value.asDocument()));
        }
    }

    private void requireFew() {
        long fields = set.size();
        for (var operator : operators.entrySet()) {
            for (var change : operator.getValue().asDocument().entrySet()) {
                fields += 1 + comparedValues(operator.getKey(), change.getValue());
            }
        }
        requireFew(fields);
    }

    /// How many values an operator compares with the elements of an array.
    private static int comparedValues(String operator, BsonValue change) {
        var values = switch (operator) {
            case "$pullAll" -> change;
            case "$addToSet" -> change instanceof BsonDocument document ? document.get("$each") : null;
            default -> null;
        };
        return values instanceof BsonArray array ? array.size() : 0;
    }

    /// @param fields that a change of one document names, and values that it compares with elements of arrays
    /// @throws org.restheart.http.ProblemException 413
    public static void requireFew(long fields) {
        if (fields > MAX_FIELDS) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TOO_LARGE,
                    "a change must not name more than " + MAX_FIELDS
                            + " fields, nor values of $pullAll and $addToSet: replace the document, or an object"
                            + " or array that contains them");
        }
    }

    /// Removes the client's changes of a field that the server sets.
    private void remove(String field) {
        set.keySet().removeIf(path -> FieldPath.isWithin(path, field));
        operators.forEach((operator, paths) ->
                paths.asDocument().entrySet().removeIf(entry -> UpdateOperators.touches(operator, entry, field)));
        operators.values().removeIf(paths -> paths.asDocument().isEmpty());
    }

    /// Overrides fields that the client sets. Removes operators that also change one of them.
    private void override(BsonDocument values) {
        values.forEach((path, value) -> {
            set.keySet().removeIf(other -> FieldPath.isWithin(other, path));
            remove(SET_ON_INSERT, path);
            for (var operator : operators.entrySet()) {
                for (var entry : operator.getValue().asDocument().entrySet()) {
                    if (UpdateOperators.touches(operator.getKey(), entry, path)) {
                        throw invalid(operator.getKey() + " cannot change '" + path + "', which the server sets");
                    }
                }
            }
            if (set.keySet().stream().anyMatch(other -> UpdateOperators.overlap(other, path))) {
                throw invalid("content cannot set what contains '" + path + "', which the server sets");
            }
            set.put(path, value);
        });
    }

    private void remove(String operator, String path) {
        var paths = operators.get(operator);
        if (paths != null) {
            paths.asDocument().keySet().removeIf(other -> FieldPath.isWithin(other, path));
        }
    }

    private Update.Operators toUpdate(List<BsonDocument> arrayFilters) {
        if (!set.isEmpty()) {
            operators.put(SET, set);
        }
        if (operators.isEmpty()) {
            throw noData();
        }
        var update = new Update.Operators(operators, arrayFilters);
        requireUsed(update);
        return update;
    }

    /// MongoDB says the same, but quotes the whole update, and of a change of many documents in a report only.
    private static void requireUsed(Update.Operators update) {
        var used = update.elementNames();
        var named = new HashSet<String>();
        for (var filter : update.arrayFilters()) {
            elementName(filter).ifPresent(name -> {
                if (!used.contains(name)) {
                    throw invalid("the array filter for " + name + " is not used: no path contains $[" + name + "]");
                }
                if (!named.add(name)) {
                    throw invalid("there are several array filters for " + name + "; $and makes them one");
                }
            });
        }
        used.removeAll(named);
        used.stream().findFirst().ifPresent(name -> {
            throw invalid("$[" + name + "] is in a path without an array filter: arrayFilters=[{'" + name
                    + ".field': value}]");
        });
    }

    /// Empty for what MongoDB refuses.
    private static Optional<String> elementName(BsonDocument filter) {
        for (var condition : filter.entrySet()) {
            if (!condition.getKey().startsWith("$")) {
                return Optional.of(
                        DottedKeys.read(condition.getKey(), FieldPath::steps).getFirst());
            }
            if (condition.getValue() instanceof BsonArray parts
                    && !parts.isEmpty()
                    && parts.getFirst() instanceof BsonDocument part) {
                return elementName(part);
            }
        }
        return Optional.empty();
    }
}
