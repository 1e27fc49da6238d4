package org.restheart.mongo.content;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import org.restheart.http.ProblemException;

/// Refusals of content that several classes share.
final class Refusals {
    private Refusals() {}

    static ProblemException invalid(String message) {
        return new ProblemException(CONTENT_INVALID, message);
    }

    static ProblemException noData() {
        return invalid("no data provided");
    }

    static ProblemException unknownOperator(String key) {
        return invalid("Invalid BSON: the name of a field at the top must not start with $ and " + key
                + " is no update operator");
    }
}
