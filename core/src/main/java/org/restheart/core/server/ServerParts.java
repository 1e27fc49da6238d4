package org.restheart.core.server;

import java.util.Optional;
import java.util.concurrent.Executor;
import org.restheart.core.observation.Observer;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;

/// The parts that every exchange uses.
///
/// @param threads starts a virtual thread per task
/// @param waiting places of requests that wait for their clients, to send content or to take the response, by
///     caller as known then: fewer than there may be requests in flight, so that others are served meanwhile
/// @param untaken responses that wait
/// @param clients determines the address under which a client's content is counted
record ServerParts(
        Admission admission,
        BodyLimits bodies,
        FairShares waiting,
        ResponseMemory responses,
        UntakenResponses untaken,
        ClientAddress clients,
        ResponseWriter writer,
        Executor threads,
        Observer observer,
        Optional<Tracing> tracing) {}
