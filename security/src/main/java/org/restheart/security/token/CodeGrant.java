package org.restheart.security.token;

import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Exchanges an authorization code for a token (RFC 6749, 4.1.3).
@FunctionalInterface
public interface CodeGrant {
    Response.Ready exchange(Request request, Query form);
}
