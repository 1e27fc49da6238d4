package org.restheart.security.jwt;

import com.nimbusds.jose.JWSHeader;
import java.util.Optional;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.Credentials.Origin;

/// Private header parameters (RFC 7515, 4.3), signed with the rest, that identify the account for which a token was
/// issued.
final class LineageHeader {
    private static final String ID = "rh-lineage";
    private static final String SOURCE = "rh-source";
    private static final String GENERATION = "rh-generation";
    private static final String API_KEY = "rh-key";
    private static final String ANONYMOUS = "rh-anonymous";

    private LineageHeader() {}

    static void write(Lineage lineage, JWSHeader.Builder header) {
        header.customParam(ID, lineage.id())
                .customParam(SOURCE, lineage.source())
                .customParam(GENERATION, lineage.generation());
        switch (lineage.origin()) {
            case Origin.Password() -> {}
            case Origin.ApiKey(var handle) -> header.customParam(API_KEY, handle);
            case Origin.Nothing() -> header.customParam(ANONYMOUS, true);
        }
    }

    static Optional<Lineage> read(JWSHeader header) {
        return header.getCustomParam(ID) instanceof String id
                        && header.getCustomParam(SOURCE) instanceof String source
                        && header.getCustomParam(GENERATION) instanceof String generation
                ? Optional.of(new Lineage(id, source, generation, origin(header)))
                : Optional.empty();
    }

    private static Origin origin(JWSHeader header) {
        if (header.getCustomParam(ANONYMOUS) != null) {
            return new Origin.Nothing();
        }
        var handle = header.getCustomParam(API_KEY);
        return handle == null ? new Origin.Password() : new Origin.ApiKey(handle.toString());
    }
}
