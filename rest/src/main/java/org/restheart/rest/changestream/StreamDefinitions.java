package org.restheart.rest.changestream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.NamedEntries;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.rest.aggregation.Aggregation;
import org.restheart.rest.changestream.StreamDefinition.MalformedStream;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Checks stream definitions when a collection's properties are written. An entry with a misspelt restriction is
/// refused; other mistakes are refused only if `change-streams-validate` is on, and otherwise answered with a warning.
/// Immutable.
public final class StreamDefinitions {
    private static final int MAX_QUOTED = 50;

    /// Stages that MongoDB permits in change streams, and those that variables select.
    private static final Set<String> STAGES = Words.of("""
        $addFields $changeStreamSplitLargeEvent $ifvar $match $project $redact $replaceRoot $replaceWith $set
        $unset $var
        """);

    /// What events of MongoDB have.
    private static final Set<String> EVENT = Words.of("""
        _id clusterTime collectionUUID documentKey fullDocument fullDocumentBeforeChange lsid ns
        operationDescription operationType splitEvent to txnNumber updateDescription wallTime
        """);

    private final boolean validate;

    public StreamDefinitions(ChangeStreamConfig config) {
        this.validate = config.validate();
    }

    /// The names of the streams that a collection declares.
    public static List<String> names(ResourceMetadata collection) {
        return collection
                .property(StreamDefinition.PROPERTY)
                .map(streams -> List.copyOf(NamedEntries.of(streams).keySet()))
                .orElse(List.of());
    }

    /// Mistakes because of which every listener would be refused, and keys without effect; empty if none is known.
    ///
    /// @param streams the property of a collection
    public static List<String> warnings(BsonValue streams) {
        try {
            StreamDefinition.validate(streams);
            var warnings = new ArrayList<>(NamedEntries.warnings(
                    StreamDefinition.PROPERTY,
                    streams.asArray().stream()
                            .map(entry -> entry.asDocument().getString("uri").getValue())
                            .toList()));
            for (var entry : streams.asArray()) {
                var place = "streams: " + entry.asDocument().getString("uri").getValue();
                var stages = StreamDefinition.parse(entry.asDocument()).stages();
                Aggregation.wrongStage(stages).ifPresent(text -> warnings.add(place + " has the " + text));
                stages.stream()
                        .flatMap(stage -> stage.keySet().stream().limit(1))
                        .filter(name -> Place.STAGE.known().contains(name) && !STAGES.contains(name))
                        .map(name -> place + " has the stage " + name + ", which MongoDB refuses in change streams")
                        .forEach(warnings::add);
                stages.stream()
                        .takeWhile(stage -> stage.get("$match") instanceof BsonDocument)
                        .flatMap(stage -> unknownFields(stage.getDocument("$match")))
                        .distinct()
                        .map(field -> place + " compares " + ShortText.of(field, MAX_QUOTED)
                                + ", which no event has; the document is in fullDocument")
                        .forEach(warnings::add);
                stages.stream()
                        .filter(stage -> !stage.isEmpty() && losesId(stage))
                        .map(stage -> place + " changes or removes the _id of events in the stage "
                                + stage.getFirstKey() + "; it is needed to resume, so every event ends the stream")
                        .forEach(warnings::add);
                warnings.addAll(StreamDefinition.KEYS.warnings(place, entry.asDocument()));
            }
            return warnings;
        } catch (MalformedStream e) {
            return List.of("a stream cannot be opened: " + e.getMessage());
        }
    }

    /// Whether the `_id` of an event is certainly not what it was, which MongoDB refuses for each event.
    private static boolean losesId(BsonDocument stage) {
        var name = stage.getFirstKey();
        var value = stage.get(name);
        var id = value instanceof BsonDocument fields ? fields.get("_id") : null;
        if (name.equals("$project")) {
            return new BsonBoolean(false).equals(id) || (id instanceof BsonNumber number && number.doubleValue() == 0);
        }
        if (name.equals("$set") || name.equals("$addFields")) {
            return id != null && !id.equals(new BsonString("$_id"));
        }
        if (name.equals("$unset")) {
            return namesId(value)
                    || (value instanceof BsonArray names && names.stream().anyMatch(StreamDefinitions::namesId));
        }
        if (name.equals("$replaceWith")) {
            return isOther(value);
        }
        return name.equals("$replaceRoot") && value instanceof BsonDocument root && isOther(root.get("newRoot"));
    }

    private static boolean namesId(@Nullable BsonValue name) {
        return name instanceof BsonString text && text.getValue().equals("_id");
    }

    /// Whether an expression is a part of the event, or an object without `_id`.
    private static boolean isOther(@Nullable BsonValue root) {
        return switch (root) {
            case BsonString path -> path.getValue().matches("\\$[^$].*");
            case BsonDocument fields ->
                !fields.containsKey("_id") && fields.keySet().stream().noneMatch(name -> name.startsWith("$"));
            case null, default -> false;
        };
    }

    /// The fields that a filter compares and events do not have.
    private static Stream<String> unknownFields(BsonDocument filter) {
        return filter.entrySet().stream()
                .flatMap(entry -> entry.getKey().startsWith("$")
                        ? entry.getValue() instanceof BsonArray all
                                ? all.stream()
                                        .filter(BsonValue::isDocument)
                                        .flatMap(each -> unknownFields(each.asDocument()))
                                : Stream.of()
                        : Stream.of(entry.getKey()).filter(field -> !EVENT.contains(field.split("\\.", 2)[0])));
    }

    /// @param properties all of a collection
    /// @throws org.restheart.http.ProblemException 400 saying what is malformed
    public void check(BsonDocument properties) {
        Optional.ofNullable(properties.get(StreamDefinition.PROPERTY)).ifPresent(this::checkAll);
    }

    /// @param update of a collection's properties
    /// @throws org.restheart.http.ProblemException 400 saying what is malformed, also for a change of a part, whose
    ///     result only MongoDB can compute
    public void check(Update update) {
        if (update instanceof Update.Operators(var operators, var _)) {
            operators.forEach((operator, paths) -> paths.asDocument().forEach((path, value) -> {
                if (path.equals(StreamDefinition.PROPERTY)) {
                    checkWhole(operator, value);
                } else if ((validate && path.startsWith(StreamDefinition.PROPERTY + "."))
                        || (operator.equals("$rename") && value.equals(StreamDefinition.NAME))) {
                    throw refusal("streams can be written only as a whole");
                }
            }));
        }
    }

    private void checkWhole(String operator, BsonValue value) {
        switch (operator) {
            case "$set", "$setOnInsert" -> checkAll(value);
            case "$unset" -> {} // no definitions remain
            default -> {
                if (validate) {
                    throw refusal("streams can be written only as a whole");
                }
            }
        }
    }

    private void checkAll(BsonValue streams) {
        try {
            if (validate) {
                StreamDefinition.validate(streams);
            } else {
                StreamDefinition.requireRestrictions(streams);
            }
        } catch (MalformedStream e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
    }

    private static RuntimeException refusal(String text) {
        return new ProblemException(ProblemCode.CONTENT_INVALID, "invalid streams: " + text);
    }
}
