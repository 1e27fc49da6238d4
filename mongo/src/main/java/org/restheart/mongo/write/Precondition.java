package org.restheart.mongo.write;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.bson.BsonTexts;
import org.restheart.http.EntityTagList;
import org.restheart.mongo.write.WriteOutcome.Refused;
import org.restheart.mongo.write.WriteOutcome.Stale;
import org.restheart.mongo.write.WriteOutcome.TagRequired;

/// The precondition of changing a stored document or stored properties (RFC 9110, 13.1.1 and 13.1.2). Entity
/// tags here are the bare values of `_etag`; in quotes, as the RFC has them, they are the same tags.
public sealed interface Precondition {

    /// The tag of a list that begins with that of the properties.
    Pattern OF_LIST = Pattern.compile("(.+)\\.[\\w-]{22}");

    record None() implements Precondition {}

    /// The required tag is missing: only a target without a tag may be changed.
    record Untagged() implements Precondition {}

    /// `If-Match`: only a target with one of these tags may be changed; with `*`, only one that exists.
    record IfMatch(EntityTagList tags) implements Precondition {}

    /// `If-None-Match`: only a target with another tag or none may be changed; with `*`, none that exists.
    record IfNoneMatch(EntityTagList tags) implements Precondition {}

    /// Both of them, in this order (RFC 9110, 13.2.2).
    record Both(IfMatch first, IfNoneMatch second) implements Precondition {}

    /// The same for what lists are of, whose `ETag` contains the tag of the properties.
    default Precondition withTagsOfLists() {
        return switch (this) {
            case IfMatch(var tags) -> new IfMatch(withThoseOfLists(tags));
            case Both(var first, var second) -> new Both(new IfMatch(withThoseOfLists(first.tags)), second);
            case None _, Untagged _, IfNoneMatch _ -> this;
        };
    }

    /// The tags of properties in the tags of lists, beside those that the client sends.
    static EntityTagList withThoseOfLists(EntityTagList sent) {
        var tags = sent.weak().stream()
                .map(OF_LIST::matcher)
                .filter(Matcher::matches)
                .map(list -> list.group(1))
                .toList();
        return tags.isEmpty() ? sent : sent.withStrong(tags);
    }

    /// Whether nothing may be created: `If-Match: *`.
    default boolean requiresExistence() {
        return switch (this) {
            case IfMatch(var tags) -> tags.isAny();
            case Both both -> both.first.tags.isAny();
            case None _, Untagged _, IfNoneMatch _ -> false;
        };
    }

    /// What is left of it for a target that is known to exist.
    default Precondition ofExisting() {
        if (!requiresExistence()) {
            return this;
        }
        return this instanceof Both both ? both.second : new None();
    }

    /// The condition on `_etag` in a MongoDB filter. Never an equality, which an upsert would copy.
    default Optional<BsonValue> condition() {
        return switch (this) {
            case None() -> Optional.empty();
            case Untagged() -> {
                var isTag = new BsonDocument("$type", BsonTexts.array(List.of("objectId", "string")));
                yield Optional.of(new BsonDocument("$not", isTag));
            }
            case IfMatch(var tags) ->
                tags.isAny() ? Optional.empty() : Optional.of(new BsonDocument("$in", values(tags.strong())));
            case IfNoneMatch(var tags) ->
                Optional.of(tags.isAny() ? nothing() : new BsonDocument("$nin", values(tags.weak())));
            case Both(var first, var second) ->
                first.tags.isAny() || second.tags.isAny()
                        ? second.condition()
                        : Optional.of(new BsonDocument("$in", values(first.tags.strong()))
                                .append("$nin", values(second.tags.weak())));
        };
    }

    /// The refusal for a target with this tag, or without one, by the same rule as [#condition()]. Empty if it may
    /// be changed.
    default Optional<Refused> refusal(Optional<String> stored) {
        return switch (this) {
            case None() -> Optional.empty();
            case Untagged() -> stored.map(TagRequired::new);
            case IfMatch(var tags) ->
                tags.isAny() || matches(tags.strong(), stored)
                        ? Optional.empty()
                        : Optional.of(new Stale(stored, this));
            case IfNoneMatch(var tags) ->
                tags.isAny() || matches(tags.weak(), stored) ? Optional.of(new Stale(stored, this)) : Optional.empty();
            case Both(var first, var second) -> first.refusal(stored).or(() -> second.refusal(stored));
        };
    }

    /// No document has this tag. From a filter that is always false, an upsert would not take the id.
    private static BsonDocument nothing() {
        return new BsonDocument("$in", values(Set.of(new ObjectId().toHexString())));
    }

    /// A tag that spells an ObjectId means the ObjectId, or the same text.
    private static BsonArray values(Set<String> tags) {
        var values = new BsonArray();
        for (var tag : tags) {
            if (ObjectId.isValid(tag)) {
                values.add(new BsonObjectId(new ObjectId(tag)));
            }
            values.add(new BsonString(tag));
        }
        return values;
    }

    private static boolean matches(Set<String> tags, Optional<String> stored) {
        return stored.isPresent()
                && tags.stream()
                        .anyMatch(tag -> stored.get().equals(tag)
                                || (ObjectId.isValid(tag) && stored.get().equals(new ObjectId(tag).toHexString())));
    }
}
