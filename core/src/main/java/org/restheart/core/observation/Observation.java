package org.restheart.core.observation;

import java.util.Optional;
import org.restheart.http.Account;
import org.restheart.http.Request;

/// A request that is over: its response has been sent, or its client has gone.
///
/// @param service the name of the service it was for
/// @param status as sent
/// @param bytes of content sent
/// @param nanos from its arrival to the end of its response
/// @param account who asked, if authenticated
public record Observation(
        Request request, String service, int status, long bytes, long nanos, Optional<Account> account) {}
