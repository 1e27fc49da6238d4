package org.restheart.mongo.guard;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.mongo.exchange.DataRequest;

/// Refuses to let a client learn fields that its access rule hides by asking about them: a filter, a sort or
/// an index that depends on such a field tells its value bit by bit. Projections need no look, except for
/// metadata: they see only what the rule leaves ([org.restheart.mongo.find.Projection]).
public final class HiddenFields {
    private static final String ID_INDEX = "_id_";

    private final Visibility visibility;

    private HiddenFields(Visibility visibility) {
        this.visibility = visibility;
    }

    /// @throws org.restheart.http.ProblemException 403
    public static void check(DataRequest request) {
        request.grant().projectResponse().ifPresent(projection -> {
            var hidden = new HiddenFields(Visibility.of(projection));
            var parameters = request.parameters();
            var query = request.http().query();
            new FilterInspection(hidden.visibility).check(parameters.filter());
            parameters.shardKey().ifPresent(new FilterInspection(hidden.visibility)::check);
            if (query.has("sort") || query.has("sort_by")) {
                hidden.checkKeys(parameters.sort());
            }
            parameters.hint().ifPresent(hidden::checkHint);
            checkProjection(parameters.keys());
        });
    }

    /// A change must not copy hidden fields to where they are shown, nor depend on them where that shows.
    ///
    /// @param content of a `PATCH`, as sent
    /// @throws org.restheart.http.ProblemException 403
    public static void checkChange(DataRequest request, BsonValue content) {
        request.grant().projectResponse().ifPresent(projection -> {
            var inspection = new ChangeInspection(Visibility.of(projection));
            if (content.isArray()) {
                inspection.checkPipeline(content.asArray());
            } else if (content.isDocument()) {
                inspection.checkOperators(content.asDocument());
            }
        });
    }

    private void checkKeys(BsonDocument keys) {
        for (var field : keys.keySet()) {
            if (!field.equals("$natural") && !visibility.shows(field)) {
                throw refusal();
            }
        }
    }

    /// The name of an index does not say which fields it has.
    private void checkHint(BsonValue hint) {
        if (hint.isDocument()) {
            checkKeys(hint.asDocument());
        } else if (!hint.isString() || !hint.asString().getValue().equals(ID_INDEX)) {
            throw refusal();
        }
    }

    /// `$meta` brings back index and sort keys.
    private static void checkProjection(BsonValue value) {
        if (value.isDocument()) {
            value.asDocument().forEach((name, member) -> {
                if (name.equals("$meta")) {
                    throw refusal();
                }
                checkProjection(member);
            });
        } else if (value.isArray()) {
            value.asArray().forEach(HiddenFields::checkProjection);
        }
    }

    static RuntimeException refusal() {
        return Problem.of(ProblemCode.FORBIDDEN, "the query depends on fields that are not shown")
                .raise();
    }
}
