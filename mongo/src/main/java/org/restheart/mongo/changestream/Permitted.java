package org.restheart.mongo.changestream;

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
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Stages that leave of changes what a listener may read. They stand in front of the definition's own, so that no
/// stage sees more; listeners who may read the same share a cursor.
final class Permitted {
    /// The fields of an event that hold a document or a part of one.
    private static final List<String> DOCUMENTS = List.of("fullDocument", "fullDocumentBeforeChange", "documentKey");

    /// What a stage must not lose, besides those.
    private static final List<String> OTHERS =
            List.of("_id", "operationType", "ns", "to", "clusterTime", "wallTime", "updateDescription");

    /// Where the event is while the document stands in its place.
    private static final String EVENT = "restheart:event";

    /// Whether it says anything of the document.
    private static final BsonDocument TOLD = stage("{$or: [{'" + EVENT + ".fullDocument': {$type: 'object'}}, {'"
            + EVENT + ".fullDocumentBeforeChange': {$type: 'object'}}]}");

    private Permitted() {}

    /// Lets through changes of documents that match a filter, in all of MongoDB's filter language: for its time the
    /// document stands where the event was. A deleted document is judged by what it was, if the event tells that;
    /// changes that tell nothing of the document do not pass. What a document was before it came to match is
    /// left out.
    static List<BsonDocument> matching(BsonDocument filter) {
        return List.of(
                stage("{$replaceWith: {$mergeObjects: [{$ifNull: ['$fullDocument', '$fullDocumentBeforeChange']}, {'"
                        + EVENT + "': '$$ROOT'}]}}"),
                new BsonDocument(
                        "$match",
                        new BsonDocument(
                                "$or",
                                new BsonArray(List.of(
                                        stage("{'" + EVENT + ".documentKey': {$exists: false}}"),
                                        new BsonDocument("$and", new BsonArray(List.of(TOLD, filter))))))),
                stage("{$replaceWith: {$mergeObjects: ['$" + EVENT + "']}}"), // computed: nothing moves before it
                stage("""
                        {$set: {fullDocumentBeforeChange: {$cond: [{$eq: [{$type: '$fullDocument'}, 'object']},
                         '$$REMOVE', '$fullDocumentBeforeChange']}}}"""));
    }

    /// Shows of documents what a projection shows.
    ///
    /// @param projection names fields with 1 or with 0
    /// @throws org.restheart.http.ProblemException 403 for a projection that computes
    static List<BsonDocument> projected(BsonDocument projection) {
        projection.values().forEach(value -> {
            if (!value.isNumber() && !value.isBoolean()) {
                throw Problem.of(
                                ProblemCode.FORBIDDEN,
                                "Cannot open change stream: the permission's projection has expressions")
                        .raise();
            }
        });
        var shown = names(projection, Permitted::isTrue);
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

    /// @param paths empty for nothing to hide
    static List<BsonDocument> hiding(Collection<String> paths) {
        if (paths.isEmpty()) {
            return List.of();
        }
        var fields = new BsonDocument();
        DOCUMENTS.forEach(document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(0))));
        return List.of(
                new BsonDocument("$project", fields),
                changed(new BsonDocument("$not", new BsonArray(List.of(matches("$$name", touching(paths)))))));
    }

    private static List<BsonDocument> showing(Collection<String> paths) {
        var fields = new BsonDocument();
        OTHERS.forEach(name -> fields.append(name, new BsonInt32(1)));
        DOCUMENTS.forEach(document -> paths.forEach(path -> fields.append(document + "." + path, new BsonInt32(1))));
        return List.of(new BsonDocument("$project", fields), changed(matches("$$name", within(paths))));
    }

    /// Leaves of an update those fields whose `$$name` meets a condition. MongoDB names them by path, with dots.
    private static BsonDocument changed(BsonDocument condition) {
        var updated =
                stage("{$arrayToObject: {$filter: {input: {$objectToArray: '$updateDescription.updatedFields'}}}}");
        updated.getDocument("$arrayToObject").getDocument("$filter").append("cond", let("$$this.k", condition));
        var removed = stage("{$filter: {input: '$updateDescription.removedFields'}}");
        removed.getDocument("$filter").append("cond", let("$$this", condition));
        var description = new BsonDocument("updatedFields", updated).append("removedFields", removed);
        return new BsonDocument(
                "$set",
                new BsonDocument(
                        "updateDescription",
                        new BsonDocument(
                                "$cond",
                                new BsonArray(List.of(
                                        stage("{$eq: [{$type: '$updateDescription'}, 'object']}"),
                                        description,
                                        new BsonString("$$REMOVE"))))));
    }

    private static BsonDocument let(String name, BsonDocument in) {
        return new BsonDocument(
                "$let", new BsonDocument("vars", new BsonDocument("name", new BsonString(name))).append("in", in));
    }

    private static BsonDocument matches(String input, String regex) {
        return new BsonDocument(
                "$regexMatch",
                new BsonDocument("input", new BsonString(input))
                        .append("regex", new BsonString(regex))
                        .append("options", new BsonString("s")));
    }

    /// Paths in the given ones. Positions in arrays do not count.
    private static String within(Collection<String> paths) {
        return "^(?:" + any(paths) + ")(?:\\..*)?$";
    }

    /// The same, and paths that contain given ones.
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
                        .map(Permitted::literally)
                        .collect(Collectors.joining("(?:\\.[0-9]+)*\\.")))
                .collect(Collectors.joining("|"));
    }

    private static String literally(String name) {
        return name.replaceAll("([^A-Za-z0-9_])", "\\\\$1");
    }

    private static BsonDocument stage(String json) {
        return BsonDocument.parse(json);
    }
}
