package org.restheart.core.accounts;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.security.ProtectedCollection;

/// Refuses indexes by which MongoDB would delete accounts or permissions after some time: its deletions pass no other
/// guard, so that of the last account with the root role would not be refused.
///
/// @param collections in which documents must not expire
record ExpiryGuard(List<? extends ProtectedCollection> collections) implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        if (request.method() == Method.PUT
                && request.attribute(DataTarget.KEY).filter(this::concerns).isPresent()
                && request.require(RequestContent.KEY).value() instanceof BsonDocument index
                && index.get("ops") instanceof BsonDocument options
                && options.containsKey("expireAfterSeconds")) {
            throw new ProblemException(
                    ProblemCode.CONFLICT,
                    "accounts and permissions do not expire by an index: the last account with the root role could");
        }
        return next.handle(request);
    }

    private boolean concerns(DataTarget target) {
        return target.kind() == ResourceKind.INDEX && collections.stream().anyMatch(own -> own.isTargetOf(target));
    }
}
