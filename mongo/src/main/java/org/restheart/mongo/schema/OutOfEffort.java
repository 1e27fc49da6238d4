package org.restheart.mongo.schema;

import com.networknt.schema.SchemaException;

/// Ends an evaluation that costs too much. The library logs other exceptions of patterns as errors, and clients
/// could fill the log.
final class OutOfEffort extends SchemaException {
    private static final long serialVersionUID = 1;

    OutOfEffort() {
        super("too expensive");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
