package org.restheart.mongo.changestream;

import static org.restheart.bson.BsonValues.object;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Stages that restrict changes to what a listener may read. They precede those of the definition, so that no stage
/// sees more; listeners with the same rights share a cursor.
final class PermittedStages {
    /// The fields of an event that hold a document or a part of one.
    private static final List<String> DOCUMENTS = List.of("fullDocument", "fullDocumentBeforeChange", "documentKey");

    /// Further fields that a stage must keep.
    private static final List<String> OTHERS =
            List.of("_id", "operationType", "ns", "to", "clusterTime", "wallTime", "updateDescription");

    /// The field of the event while the document is in its place.
    private static final String EVENT = "restheart:event";

    /// Whether the event contains the document.
    private static final BsonDocument TOLD = stage("{$or: [{'" + EVENT + ".fullDocument': {$type: 'object'}}, {'"
            + EVENT + ".fullDocumentBeforeChange': {$type: 'object'}}]}");

    private PermittedStages() {}

    /// Selects changes of documents that match a filter, in MongoDB's full filter language: the event is
    /// temporarily replaced by the document. A deleted document is matched in its previous state, if the event
    /// contains it; changes without a document are excluded. The state of a document before it matched is removed,
    /// and so is what an update changed, as far as the document that matched does not show it.
    ///
    /// @param images whether the document of an update is that right after it, as opposed to a later one: the
    ///     document may have been hidden at the time of the update
    static List<BsonDocument> matching(BsonDocument filter, boolean images) {
        return List.of(
                stage("{$replaceWith: {$mergeObjects: [{$ifNull: ['$fullDocument', '$fullDocumentBeforeChange']}, {'"
                        + EVENT + "': '$$ROOT'}]}}"),
                object(
                        "$match",
                        object(
                                "$or",
                                List.of(
                                        stage("{'" + EVENT + ".documentKey': {$exists: false}}"),
                                        object("$and", List.of(TOLD, filter))))),
                // computed, so that no stage is moved before it
                stage("{$replaceWith: {$mergeObjects: ['$" + EVENT + "']}}"),
                stage("""
                    {$set: {fullDocumentBeforeChange: {$cond: [{$eq: [{$type: '$fullDocument'}, 'object']},
                     '$$REMOVE', '$fullDocumentBeforeChange']}}}\
                    """),
                object("$set", object("updateDescription", images ? ShownChanges.ofImages() : ShownChanges.NOW)));
    }

    /// Applies a projection to the documents of events.
    ///
    /// @param projection names fields with 1 or with 0
    /// @throws org.restheart.http.ProblemException 403 for a projection that computes
    static List<BsonDocument> projected(BsonDocument projection) {
        projection.values().forEach(value -> {
            if (!value.isNumber() && !value.isBoolean()) {
                throw new ProblemException(
                        ProblemCode.FORBIDDEN,
                        "Cannot open change stream: the permission's projection has expressions");
            }
        });
        var shown = names(projection, PermittedStages::isTrue);
        return shown.isEmpty() ? hiding(projection.keySet()) : showing(shown);
    }

    private static boolean isTrue(BsonValue value) {
        return value.isBoolean()
                ? value.asBoolean().getValue()
                : value.asNumber().doubleValue() != 0;
    }

    private static List<String> names(BsonDocument projection, Predicate<BsonValue> which) {
        return projection.entrySet().stream()
                .filter(entry -> which.test(entry.getValue()))
                .map(entry -> entry.getKey())
                .toList();
    }

    /// @param paths may be empty
    static List<BsonDocument> hiding(Collection<String> paths) {
        if (paths.isEmpty()) {
            return List.of();
        }
        var fields = new BsonDocument();
        DOCUMENTS.forEach(document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(0))));
        return List.of(
                object("$project", fields), changed(object("$not", List.of(matches("$$name", touching(paths))))));
    }

    private static List<BsonDocument> showing(Collection<String> paths) {
        var fields = new BsonDocument();
        OTHERS.forEach(name -> fields.append(name, new BsonInt32(1)));
        DOCUMENTS.forEach(document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(1))));
        return List.of(object("$project", fields), changed(matches("$$name", within(paths))));
    }

    /// Keeps those fields of an update whose `$$name` satisfies a condition. MongoDB names them by dotted path.
    private static BsonDocument changed(BsonDocument condition) {
        var updated =
                stage("{$arrayToObject: {$filter: {input: {$objectToArray: '$updateDescription.updatedFields'}}}}");
        updated.getDocument("$arrayToObject").getDocument("$filter").append("cond", let("$$this.k", condition));
        var removed = stage("{$filter: {input: '$updateDescription.removedFields'}}");
        removed.getDocument("$filter").append("cond", let("$$this", condition));
        var shown = object(
                "$cond",
                List.of(
                        stage("{$eq: [{$type: '$updateDescription'}, 'object']}"),
                        object("updatedFields", updated, "removedFields", removed),
                        "$$REMOVE"));
        return object("$set", object("updateDescription", shown));
    }

    private static BsonDocument let(String name, BsonDocument in) {
        return object("$let", object("vars", object("name", name), "in", in));
    }

    private static BsonDocument matches(String input, String regex) {
        return object("$regexMatch", object("input", input, "regex", regex, "options", "s"));
    }

    /// Matches paths within the given ones. Positions in arrays are ignored.
    private static String within(Collection<String> paths) {
        return "^(?:" + any(paths) + ")(?:\\..*)?$";
    }

    /// The same, and also paths that contain given ones.
    private static String touching(Collection<String> paths) {
        var ancestors = new ArrayList<String>();
        for (var path : paths) {
            for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
                ancestors.add(path.substring(0, dot));
            }
        }
        return ancestors.isEmpty() ? within(paths) : within(paths) + "|^(?:" + any(ancestors) + ")(?:\\.[0-9]+)*$";
    }

    private static String any(Collection<String> paths) {
        return paths.stream()
                .map(path -> Pattern.compile("\\.")
                        .splitAsStream(path)
                        .map(PermittedStages::literally)
                        .collect(Collectors.joining("(?:\\.[0-9]+)*\\.")))
                .collect(Collectors.joining("|"));
    }

    private static String literally(String name) {
        return name.replaceAll("([^A-Za-z0-9_])", "\\\\$1");
    }

    private static BsonDocument stage(String json) {
        return BsonDocument.parse(json);
    }

    /// Expressions for the `updateDescription` of events whose `fullDocument` the listener may read.
    ///
    /// MongoDB looks up the document of an update when it delivers the event, so the update may be one of a time
    /// when the document was hidden: what it wrote is shown as far as the document still has it. What it removed is
    /// not.
    private static final class ShownChanges {
        /// The value of the document at the dotted path of `change`, as `{v}`, or without `v`. Names are compared by
        /// their bytes, whatever the collation.
        private static final String NOW_AT_PATH = """
            {$reduce: {
              input: {$split: ['$$change.k', '.']},
              initialValue: {v: '$fullDocument'},
              in: {$switch: {
                branches: [
                  {case: {$eq: [{$type: '$$value.v'}, 'object']},
                   then: {$ifNull: [{$first: {$filter: {
                     input: {$objectToArray: '$$value.v'},
                     as: 'field',
                     cond: {$and: [
                       {$eq: [{$indexOfBytes: ['$$field.k', '$$this']}, 0]},
                       {$eq: [{$strLenBytes: '$$field.k'}, {$strLenBytes: '$$this'}]}]}}}}, {}]}},
                  {case: {$and: [
                     {$eq: [{$type: '$$value.v'}, 'array']},
                     {$regexMatch: {input: '$$this', regex: '^[0-9]{1,9}$'}}]},
                   then: {v: {$arrayElemAt: ['$$value.v', {$toInt: '$$this'}]}}}],
                default: {}}}}}\
            """;

        /// For documents that were looked up later. Values are taken from the document, since those that are equal by
        /// a collation need not be the same.
        static final BsonDocument NOW = BsonDocument.parse("""
            {$cond: [
              {$eq: [{$type: '$updateDescription'}, 'object']},
              {updatedFields: {$arrayToObject: {$map: {
                 input: {$filter: {
                   input: {$map: {
                     input: {$objectToArray: '$updateDescription.updatedFields'},
                     as: 'change',
                     in: {k: '$$change.k', v: '$$change.v', now: %s}}},
                   as: 'change',
                   cond: {$and: [
                     {$ne: [{$type: '$$change.now.v'}, 'missing']},
                     {$eq: ['$$change.now.v', '$$change.v']}]}}},
                 as: 'change',
                 in: {k: '$$change.k', v: '$$change.now.v'}}}},
               removedFields: []},
              '$$REMOVE']}\
            """.formatted(NOW_AT_PATH));

        private ShownChanges() {}

        /// For documents as they were right after the update: all of it, unless there is no such document.
        static BsonDocument ofImages() {
            return new BsonDocument(
                    "$cond",
                    new BsonArray(List.of(
                            BsonDocument.parse("{$eq: [{$type: '$fullDocument'}, 'object']}"),
                            new BsonString("$updateDescription"),
                            NOW)));
        }
    }
}
