package org.restheart.plugin;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;

/// What an [OperationInterceptor] makes of an operation. Nothing of it allows more than access rules do.
public sealed interface Verdict {
    /// As the rules say.
    record Allow() implements Verdict {}

    /// Not at all.
    record Refuse(Problem problem) implements Verdict {}

    /// With other content, which guards, schemas, and the rule's filters and merged fields treat like the client's.
    /// Predicates of rules about content have judged what the client sent. Not for uploads of files.
    ///
    /// @param content a document or an array of documents, as the client could have sent it
    record Rewrite(BsonValue content) implements Verdict {}

    /// Of fewer documents, with fewer fields. To complete what is written, also in arrays and CSV,
    /// [#merged] is better than [Rewrite]: nothing has to be parsed for it, and clients cannot avoid it.
    ///
    /// @param rows a filter that documents match to be seen and changed, and that they must match when they
    ///     are written
    /// @param hidden fields that the caller does not see, neither by what they change in answers
    /// @param merged fields of what is written, in place of those that the client sends; those of the
    ///     access rule win
    record Tighten(Optional<BsonDocument> rows, Set<String> hidden, Optional<BsonDocument> merged) implements Verdict {
        public Tighten {
            hidden = Set.copyOf(hidden);
        }

        /// Also with such fields in what is written.
        public Tighten merging(BsonDocument fields) {
            var all = new BsonDocument();
            merged.ifPresent(all::putAll);
            all.putAll(fields);
            return new Tighten(rows, hidden, Optional.of(all));
        }

        /// Also without these fields.
        public Tighten hiding(String... fields) {
            var all = new HashSet<>(hidden);
            all.addAll(List.of(fields));
            return new Tighten(rows, all, merged);
        }
    }

    static Verdict allow() {
        return new Allow();
    }

    static Verdict refuse(Problem problem) {
        return new Refuse(problem);
    }

    static Tighten rows(BsonDocument filter) {
        return new Tighten(Optional.of(filter), Set.of(), Optional.empty());
    }

    static Tighten hide(String... fields) {
        return new Tighten(Optional.empty(), Set.of(fields), Optional.empty());
    }

    static Tighten merge(BsonDocument fields) {
        return new Tighten(Optional.empty(), Set.of(), Optional.of(fields));
    }
}
