package org.restheart.rest.guard;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonValue;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// The stages that a pipeline with the rights of a caller may contain. All others are refused, also those of
/// later releases of MongoDB and those that its processes send to each other.
///
/// @param stages that are allowed, in pipelines within stages too
/// @param metadata whether `$meta` is allowed, which returns keys of indexes, hidden fields included
public record ReadingStages(Set<String> stages, boolean metadata) {
    /// After stages that hide documents or fields.
    public static final ReadingStages WITHIN_RULES = new ReadingStages(Operators.PURE_STAGES, false);

    /// The stages that read from the whole collection.
    public static final ReadingStages OF_COLLECTION =
            new ReadingStages(union(Operators.PURE_STAGES, Operators.SEARCH_STAGES), true);

    /// The stages that read from the whole database, and the sizes of collections.
    public static final ReadingStages OF_EVERYTHING =
            new ReadingStages(union(union(OF_COLLECTION.stages, Operators.JOIN_STAGES), Set.of("$collStats")), true);

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }

    /// @throws org.restheart.http.ProblemException 403 naming the stage or operator that is not allowed, and
    ///     its place
    public void check(List<? extends BsonValue> pipeline) {
        new NamedOperators((place, name, at) -> {
                    if (!allows(place, name)) {
                        throw refusal(name, at);
                    }
                })
                .pipeline(pipeline, Location.of("pipeline"));
    }

    private boolean allows(Place place, String name) {
        return place == Place.STAGE
                ? stages.contains(name)
                : place.known().contains(name)
                        && !Operators.CODE.contains(name)
                        && (metadata || !Operators.METADATA.contains(name));
    }

    private static ProblemException refusal(String name, Location at) {
        return new ProblemException(
                ProblemCode.FORBIDDEN,
                "'" + name + "' at " + at + " is not allowed in pipelines of clients"
                        + (Place.STAGE.known().contains("$" + name) ? "; did you mean $" + name + "?" : ""));
    }
}
