package org.restheart.core.filter;

import org.restheart.http.ContentCoding;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Refuses requests that do not accept compressed responses (`core.force-gzip-encoding`).
final class EncodingRequired implements Filter {
    @Override
    public Response filter(Request request, Handler next) {
        if (ContentCoding.accepted(request.headers()) == ContentCoding.IDENTITY) {
            throw Problem.of(ProblemCode.BAD_REQUEST, "Accept-Encoding header must include gzip or deflate")
                    .raise();
        }
        return next.handle(request);
    }
}
