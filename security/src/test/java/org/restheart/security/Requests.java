package org.restheart.security;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Body;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.parameter.OperationTable;
import org.restheart.testkit.TestRequests;

/// Requests as the server would hand them over.
public final class Requests {
    private Requests() {}

    /// @param target path and query, encoded
    public static Request request(Method method, String target) {
        return TestRequests.request(method, target);
    }

    public static Request get(String target) {
        return request(Method.GET, target);
    }

    /// A data request with this JSON: to a collection if it is a `POST`, else to a document.
    public static Request send(Method method, String target, String json) {
        var kind = method == Method.POST ? ResourceKind.COLLECTION : ResourceKind.DOCUMENT;
        return request(method, target)
                .with(
                        DataTarget.KEY,
                        new DataTarget(
                                Optional.of("db"),
                                Optional.of("c"),
                                Optional.empty(),
                                kind,
                                OperationTable.of(kind, method),
                                Set.of()))
                .with(Body.of(json.getBytes(StandardCharsets.UTF_8)))
                .with(RequestContent.KEY, new RequestContent(() -> parse(json)));
    }

    private static BsonValue parse(String json) {
        try {
            return BsonArray.parse("[" + json + "]").getFirst();
        } catch (RuntimeException _) {
            throw Problem.of(ProblemCode.CONTENT_INVALID, "not JSON").raise();
        }
    }

    public static Request with(Request request, String header, String value) {
        return request.with(((Fields) request.headers()).plus(header, value));
    }

    public static Request basic(Request request, String name, String password) {
        var token = Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
        return with(request, "Authorization", "Basic " + token);
    }

    public static BsonDocument bson(String json) {
        return BsonDocument.parse(json);
    }

    static Policy policy(List<Authenticator> authenticators, List<Vetoer> vetoers, List<Authorizer> authorizers) {
        return new Policy(
                authenticators,
                vetoers,
                authorizers,
                List.of(),
                AmbientCredentials.NONE,
                UnaryOperator.identity(),
                new ClientAddress.Peer(),
                Optional.empty());
    }
}
