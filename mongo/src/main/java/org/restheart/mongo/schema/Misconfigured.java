package org.restheart.mongo.schema;

import com.mongodb.MongoException;
import java.util.function.Supplier;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Problems of collections whose schema cannot be applied: they accept no documents, since their validity is
/// unknown.
final class Misconfigured {
    private static final Logger LOG = LoggerFactory.getLogger(Misconfigured.class);

    private Misconfigured() {}

    static ProblemException because(String why) {
        return new ProblemException(ProblemCode.INTERNAL, "wrong 'jsonSchema': " + why);
    }

    /// Runs code that fails for an invalid schema.
    ///
    /// @param why is appended to the message then; empty if the reason is not known
    @SuppressWarnings("IllegalCatch")
    static <T> T instead(SchemaKey key, Supplier<String> why, Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException | MongoException e) {
            throw e;
        } catch (RuntimeException e) { // the library throws many for invalid schemas and references
            LOG.warn("The schema {} is not valid: {}", key.uri(), e.getMessage());
            throw because("schema '" + key.idText() + "' is not valid" + why.get());
        }
    }
}
