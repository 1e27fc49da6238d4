package org.restheart.security.jwt;

import com.nimbusds.jose.JWSHeader;
import java.util.Optional;
import org.restheart.security.Credentials.Lineage;

/// Private header parameters (RFC 7515, 4.3), signed with the rest, that identify the account for which a token was
/// issued.
final class LineageHeader {
    private static final String ID = "rh-lineage";
    private static final String SOURCE = "rh-source";
    private static final String GENERATION = "rh-generation";
    private static final String API_KEY = "rh-key";

    private LineageHeader() {}

    static void write(Lineage lineage, JWSHeader.Builder header) {
        header.customParam(ID, lineage.id())
                .customParam(SOURCE, lineage.source())
                .customParam(GENERATION, lineage.generation());
        lineage.apiKey().ifPresent(handle -> header.customParam(API_KEY, handle));
    }

    static Optional<Lineage> read(JWSHeader header) {
        return header.getCustomParam(ID) instanceof String id
                        && header.getCustomParam(SOURCE) instanceof String source
                        && header.getCustomParam(GENERATION) instanceof String generation
                ? Optional.of(new Lineage(
                        id,
                        source,
                        generation,
                        Optional.ofNullable(header.getCustomParam(API_KEY)).map(Object::toString)))
                : Optional.empty();
    }
}
