package org.restheart.security.acl;

import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

/// Checks the syntax of permissions for their authors.
public final class PermissionSyntax {
    private PermissionSyntax() {}

    /// @param content `{predicate, mongo}`, as in a permission
    /// @return `{ok: true}`, or `{error, position}`: the character where the fault was noticed, from 0
    public static BsonDocument check(BsonDocument content) {
        try {
            var predicate = content.get("predicate");
            if (predicate == null || !predicate.isString()) {
                return fault("predicate must be a text");
            }
            PredicateParser.parse(predicate.asString().getValue());
            PermissionKeys.require(content, true);
            PermissionReader.checkGrant(content.get("mongo"));
            return new BsonDocument("ok", BsonBoolean.TRUE);
        } catch (PredicateException e) {
            return fault(String.valueOf(e.getMessage())).append("position", new BsonInt32(e.position()));
        } catch (PermissionException e) {
            return fault(String.valueOf(e.getMessage()));
        }
    }

    private static BsonDocument fault(String message) {
        return new BsonDocument("error", new BsonString(message));
    }
}
