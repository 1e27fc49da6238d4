package org.restheart.mongo.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Visibility;

/// `$text` and its score, which depend on the fields of the collection's text index and on nothing else.
public final class TextSearch {
    private static final String NAME = "$text";
    private static final BsonDocument SCORE = new BsonDocument("$meta", new BsonString("textScore"));

    private TextSearch() {}

    /// Whether a filter searches anywhere: values may have the name, too.
    public static boolean isIn(BsonDocument filter) {
        var found = new AtomicBoolean();
        new NamedOperators((_, name, _) -> found.set(found.get() || name.equals(NAME)))
                .filter(filter, Location.of("filter"));
        return found.get();
    }

    /// What else a filter asks for. The same filter if it does not search at its top, or in an `$and` there.
    public static BsonDocument without(BsonDocument filter) {
        var others = new BsonDocument();
        filter.forEach((name, value) -> {
            if (name.equals("$and") && value instanceof BsonArray all) {
                others.append(
                        name,
                        new BsonArray(all.stream()
                                .<BsonValue>map(each -> each instanceof BsonDocument part ? without(part) : each)
                                .toList()));
            } else if (!name.equals(NAME)) {
                others.append(name, value);
            }
        });
        return others.equals(filter) ? filter : others;
    }

    /// A projection or a sort without the scores.
    public static BsonDocument withoutScores(BsonDocument projection) {
        var others = new BsonDocument();
        others.putAll(projection);
        others.values().removeIf(SCORE::equals);
        return others;
    }

    /// Why a search tells more than is shown; empty if it does not.
    public static Optional<String> refusal(List<BsonDocument> indexes, Visibility shown) {
        return indexes.stream()
                .filter(index -> index.containsKey("weights"))
                .flatMap(index -> refusal(index, shown).stream())
                .findFirst();
    }

    private static Optional<String> refusal(BsonDocument index, Visibility shown) {
        var fields = index.getDocument("weights").keySet();
        if (fields.stream().anyMatch(field -> field.contains("$**") || !shown.shows(field))) {
            return Optional.of(
                    "the text index covers fields that are not shown: make one of shown fields only, or have a"
                            + " stored aggregation search");
        }
        // each document, and each one within it, may name the language by which its texts are read
        var language =
                index.getString("language_override", new BsonString("language")).getValue();
        var languages = new ArrayList<>(List.of(language));
        for (var field : fields) {
            for (int dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
                languages.add(field.substring(0, dot + 1) + language);
            }
        }
        return languages.stream().allMatch(shown::shows)
                ? Optional.empty()
                : Optional.of(
                        "the text index takes the language of a document from a field that is not shown: show it, or"
                                + " name a shown one as its language_override");
    }
}
